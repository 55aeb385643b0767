#include "graph_files.h"

#include <algorithm>

#include "gtvmin/io/csv.h"
#include "gtvmin/io/csv_writer.h"
#include "gtvmin/io/text_file.h"

namespace gtvmin::app {
namespace {

/// The names of the columns; empty if the text has no good first line, which its reader will tell.
std::vector<std::string> header_of(std::string_view content) {
  CsvReader reader(content);
  CsvRecord record;
  if (!reader.next(record) || !record.problem.empty()) return {};
  return {record.fields.begin(), record.fields.end()};
}

/// Every column but the node and, if it is there, the label.
std::vector<std::string> features_without_label(const std::vector<std::string>& header, const DataColumns& columns) {
  std::vector<std::string> features;
  std::copy_if(header.begin(), header.end(), std::back_inserter(features),
               [&](const std::string& name) { return name != columns.node && name != columns.label; });
  return features;
}

}  // namespace

Result<Dataset> read_graph_data(const GraphSettings& settings, const OptionSet& options) {
  // Of a folder the first file tells the columns. A single file is read once, because it may be a pipe.
  std::string first = settings.data;
  if (first.empty()) {
    const Result<std::vector<std::string>> files = dataset_folder_files(settings.data_dir);
    if (!files) return files.error();
    first = files->front();
  }
  const Result<TextFile> file = TextFile::open(first);
  if (!file) return file.error();
  const auto read = [&](const DataColumns& columns, LabelDomain labels) {
    return settings.data.empty() ? read_dataset_folder(settings.data_dir, {}, columns, labels)
                                 : parse_dataset({first, file->content()}, {}, columns, labels);
  };
  DataColumns columns = settings.columns;
  if (settings.similarity.method == "correlation") {
    columns.features = {settings.time_column, settings.value_column};
    return read(columns, LabelDomain::kNone);
  }
  if (find_similarity_method(settings.similarity.method)->needs_label) {
    const LabelDomain labels = label_domain(settings.similarity.model.name);
    if (labels != LabelDomain::kNone) return read(columns, labels);
  }
  const std::vector<std::string> header = header_of(file->content());
  const bool has_label = std::find(header.begin(), header.end(), columns.label) != header.end();
  const auto& declared = options.options();
  const bool label_given =
      std::any_of(declared.begin(), declared.end(), [](const Option& o) { return o.name == "label" && o.given; });
  if (label_given && !has_label && !header.empty()) {
    return bad_input(first + ":1: there is no column '" + columns.label + "' for --label to leave out");
  }
  if (columns.features.empty()) {
    columns.features = features_without_label(header, columns);
    if (columns.features.empty() && !header.empty()) {
      return bad_input(first + ":1: there are no columns besides the node" + (has_label ? " and the label" : ""));
    }
  }
  return read(columns, LabelDomain::kNone);
}

std::string edge_list_csv(const std::vector<WeightedEdge>& edges, const std::vector<std::string>& names) {
  CsvWriter out({"source", "target", "weight"});
  for (const WeightedEdge& e : edges) out.text(names[e.a]).text(names[e.b]).number(e.weight).end_row();
  return out.take();
}

std::string embedding_csv(const Dataset& dataset) {
  CsvWriter out;
  out.text("node");
  for (const std::string& name : dataset.feature_names) out.text(name);
  out.end_row();
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    for (Index r = dataset.first_sample[i]; r < dataset.first_sample[i + 1]; ++r) {
      out.text(dataset.node_names[i]);
      for (const double x : dataset.features.col(r)) out.number(x);
      out.end_row();
    }
  }
  return out.take();
}

}  // namespace gtvmin::app
