#include "gtvmin/io/dataset_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "edge_rows.h"
#include "gtvmin/base/memory.h"
#include "gtvmin/io/input_problems.h"
#include "gtvmin/io/text_file.h"
#include "name_table.h"
#include "sample_rows.h"

namespace gtvmin {

namespace {

/// Brings the rows of each node together and keeps their order otherwise.
Status group_by_node(SampleRows rows, const Stop& stop, Dataset& dataset) {
  const auto count = static_cast<Index>(rows.node_of_row.size());
  dataset.first_sample.assign(dataset.node_names.size() + 1, 0);
  for (const NodeId node : rows.node_of_row) ++dataset.first_sample[node + 1];
  std::partial_sum(dataset.first_sample.begin(), dataset.first_sample.end(), dataset.first_sample.begin());

  // Nodes are numbered as they appear: an ascending sequence is a file that is grouped already.
  if (std::is_sorted(rows.node_of_row.begin(), rows.node_of_row.end())) {
    dataset.features = std::move(rows.features);
    dataset.labels = std::move(rows.labels);
    return Unit{};
  }
  const double bytes = static_cast<double>(sizeof(double)) * static_cast<double>(rows.features.size());
  if (Status fits = require_memory(bytes, "grouping the samples by node"); !fits) return fits;
  StopPoll poll(stop);
  std::vector<Index> next(dataset.first_sample.begin(), dataset.first_sample.end() - 1);
  dataset.features.resize(rows.features.rows(), count);
  dataset.labels.resize(rows.labels.size());
  dataset.row_of_sample.resize(static_cast<std::size_t>(count));
  for (Index row = 0; row < count; ++row) {
    if (poll()) return interrupted();
    const Index to = next[rows.node_of_row[row]]++;
    dataset.row_of_sample[to] = row;
    dataset.features.col(to) = rows.features.col(row);
    if (rows.labels.size() > 0) dataset.labels[to] = rows.labels[row];
  }
  return Unit{};
}

/// An input that was opened, or the reason why it was not; neither if it is not wanted.
struct Source {
  std::string name;
  std::optional<std::string_view> content;
  std::vector<std::string> messages;
  std::string node{};  ///< to which all rows belong, if there is no column for it
};

/// Opens files and keeps them open.
class OpenFiles {
 public:
  explicit OpenFiles(const Stop& stop) : stop_(stop) {}

  Source open(const std::string& path) {
    Result<TextFile> file = TextFile::open(path, stop_);
    if (!file) return {path, std::nullopt, file.error().messages};
    return {path, files_.emplace_back(*std::move(file)).content(), {}};
  }

 private:
  const Stop& stop_;
  std::deque<TextFile> files_;
};

/// The rows of several files in one.
SampleRows joined(std::vector<SampleRows> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  SampleRows all;
  Index count = 0;
  for (const SampleRows& part : parts) count += part.features.cols();
  all.feature_names = parts.front().feature_names;
  all.features.resize(parts.front().features.rows(), count);
  all.labels.resize(parts.front().labels.size() > 0 ? count : 0);
  Index at = 0;
  for (const SampleRows& part : parts) {
    all.features.middleCols(at, part.features.cols()) = part.features;
    if (all.labels.size() > 0) all.labels.segment(at, part.labels.size()) = part.labels;
    all.node_of_row.insert(all.node_of_row.end(), part.node_of_row.begin(), part.node_of_row.end());
    at += part.features.cols();
  }
  return all;
}

Result<Dataset> read_sources(std::span<const Source> data, const Source& edges, DataColumns columns, LabelDomain domain,
                             const Stop& stop) {
  Dataset dataset;
  NameTable names;
  std::vector<SampleRows> parts;
  Error error{Error::Kind::kBadInput, {}};
  LabelReader labels(domain);
  for (const Source& source : data) {
    error.messages.insert(error.messages.end(), source.messages.begin(), source.messages.end());
    if (!source.content) continue;
    InputProblems problems(source.name);
    Result<SampleRows> here = read_sample_rows({*source.content, source.node}, columns,
                                               domain == LabelDomain::kNone ? nullptr : &labels, names, problems, stop);
    if (!here || stopped(stop)) return here ? interrupted() : here.error();
    problems.append_to(error.messages);
    // The first file decides which features there are; others may have them in another order.
    if (columns.features.empty()) columns.features = here->feature_names;
    parts.push_back(*std::move(here));
  }
  error.messages.insert(error.messages.end(), edges.messages.begin(), edges.messages.end());
  if (edges.content) {
    InputProblems problems(edges.name);
    Result<EdgeRows> rows = read_edge_rows(*edges.content, names, problems, stop);
    if (!rows) return rows.error();
    dataset.edges = std::move(rows->edges);
    problems.append_to(error.messages);
  }
  if (stopped(stop)) return interrupted();
  if (!error.messages.empty()) return error;

  SampleRows rows = joined(std::move(parts));
  dataset.class_names = std::move(labels).finish(rows.labels);
  dataset.node_names = std::move(names).take_names();
  dataset.feature_names = std::move(rows.feature_names);
  if (const Status grouped = group_by_node(std::move(rows), stop, dataset); !grouped) return grouped.error();
  return dataset;
}

}  // namespace

Result<Dataset> read_dataset(const std::string& data_path, const std::string& edges_path, const DataColumns& columns,
                             LabelDomain labels, const Stop& stop) {
  OpenFiles files(stop);
  const Source data = files.open(data_path);
  const Source edges = edges_path.empty() ? Source{} : files.open(edges_path);
  return read_sources({&data, 1}, edges, columns, labels, stop);
}

Result<std::vector<std::string>> dataset_folder_files(const std::string& folder) {
  std::error_code code;
  std::vector<std::string> paths;
  for (auto entry = std::filesystem::directory_iterator(folder, code); !code && entry != end(entry);
       entry.increment(code)) {
    if (entry->path().extension() == ".csv") paths.push_back(entry->path().string());
  }
  if (code) return bad_input(fmt::format("{}: {}", folder, code.message()));
  if (paths.empty()) return bad_input(fmt::format("{}: contains no file *.csv", folder));
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Dataset> read_dataset_folder(const std::string& folder, const std::string& edges_path,
                                    const DataColumns& columns, LabelDomain labels, const Stop& stop) {
  const Result<std::vector<std::string>> paths = dataset_folder_files(folder);
  if (!paths) return paths.error();
  OpenFiles files(stop);
  std::vector<Source> data;
  for (const std::string& path : *paths) {
    if (stopped(stop)) return interrupted();
    data.push_back(files.open(path));
    data.back().node = std::filesystem::path(path).stem().string();
  }
  const Source edges = edges_path.empty() ? Source{} : files.open(edges_path);
  return read_sources(data, edges, columns, labels, stop);
}

Result<Dataset> parse_dataset(const NamedText& data, const NamedText& edges, const DataColumns& columns,
                              LabelDomain labels, const Stop& stop) {
  const auto source = [](const NamedText& text) { return Source{text.name, text.content, {}}; };
  const Source samples = source(data);
  return read_sources({&samples, 1}, edges.name.empty() ? Source{} : source(edges), columns, labels, stop);
}

}  // namespace gtvmin
