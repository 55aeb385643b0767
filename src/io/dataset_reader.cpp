#include "gtvmin/io/dataset_reader.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "edge_rows.h"
#include "gtvmin/io/text_file.h"
#include "input_problems.h"
#include "name_table.h"
#include "sample_rows.h"

namespace gtvmin {

namespace {

/// Brings the rows of each node together and keeps their order otherwise.
void group_by_node(SampleRows rows, Dataset& dataset) {
  const auto count = static_cast<Index>(rows.node_of_row.size());
  dataset.first_sample.assign(dataset.node_names.size() + 1, 0);
  for (const NodeId node : rows.node_of_row) ++dataset.first_sample[node + 1];
  std::partial_sum(dataset.first_sample.begin(), dataset.first_sample.end(), dataset.first_sample.begin());

  // Nodes are numbered as they appear: an ascending sequence is a file that is grouped already.
  if (std::is_sorted(rows.node_of_row.begin(), rows.node_of_row.end())) {
    dataset.features = std::move(rows.features);
    dataset.labels = std::move(rows.labels);
    return;
  }
  std::vector<Index> next(dataset.first_sample.begin(), dataset.first_sample.end() - 1);
  dataset.features.resize(rows.features.rows(), count);
  dataset.labels.resize(rows.labels.size());
  for (Index row = 0; row < count; ++row) {
    const Index to = next[rows.node_of_row[row]]++;
    dataset.features.col(to) = rows.features.col(row);
    if (rows.labels.size() > 0) dataset.labels[to] = rows.labels[row];
  }
}

/// An input that was opened, or the reason why it was not; neither if it is not wanted.
struct Source {
  std::string name;
  std::optional<std::string_view> content;
  std::vector<std::string> messages;
};

Result<Dataset> read_sources(const Source& data, const Source& edges, const DataColumns& columns, LabelDomain labels) {
  Dataset dataset;
  NameTable names;
  SampleRows rows;
  Error error{Error::Kind::kBadInput, data.messages};
  if (data.content) {
    InputProblems problems(data.name);
    rows = read_sample_rows(*data.content, columns, labels, names, problems);
    problems.append_to(error.messages);
  }
  error.messages.insert(error.messages.end(), edges.messages.begin(), edges.messages.end());
  if (edges.content) {
    InputProblems problems(edges.name);
    dataset.edges = read_edge_rows(*edges.content, names, problems);
    problems.append_to(error.messages);
  }
  if (!error.messages.empty()) return error;

  dataset.node_names = std::move(names).take_names();
  dataset.feature_names = std::move(rows.feature_names);
  group_by_node(std::move(rows), dataset);
  return dataset;
}

}  // namespace

Result<Dataset> read_dataset(const std::string& data_path, const std::string& edges_path, const DataColumns& columns,
                             LabelDomain labels) {
  std::vector<TextFile> files;
  const auto open = [&files](const std::string& path) -> Source {
    Result<TextFile> file = TextFile::open(path);
    if (!file) return {path, std::nullopt, file.error().messages};
    return {path, files.emplace_back(*std::move(file)).content(), {}};
  };
  files.reserve(2);  // a moved file may move its content
  const Source data = open(data_path);
  const Source edges = edges_path.empty() ? Source{} : open(edges_path);
  return read_sources(data, edges, columns, labels);
}

Result<Dataset> parse_dataset(const NamedText& data, const NamedText& edges, const DataColumns& columns,
                              LabelDomain labels) {
  const auto source = [](const NamedText& text) { return Source{text.name, text.content, {}}; };
  return read_sources(source(data), edges.name.empty() ? Source{} : source(edges), columns, labels);
}

}  // namespace gtvmin
