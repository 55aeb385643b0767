// Any bytes are a dataset, a table and a matrix, or a list of problems; nothing else may happen. The first byte chooses
// the labels; a line of "----" separates the data file from the edge file.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_set>

#include "check.h"
#include "gtvmin/base/result.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/io/table.h"

namespace {

using namespace gtvmin;

void check_error(const Error& error, std::size_t files) {
  FUZZ_CHECK(error.kind == Error::Kind::kBadInput);
  FUZZ_CHECK(!error.messages.empty());
  FUZZ_CHECK(error.messages.size() <= 21 * files);
  for (const std::string& message : error.messages) {
    FUZZ_CHECK(message.starts_with("data.csv:") || message.starts_with("edges.csv:"));
    for (const char c : message) FUZZ_CHECK(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  }
}

void check_dataset(const Dataset& dataset, LabelDomain labels) {
  FUZZ_CHECK(dataset.samples() > 0);
  FUZZ_CHECK(dataset.features.rows() == static_cast<Index>(dataset.feature_names.size()));
  FUZZ_CHECK(dataset.features.allFinite());
  FUZZ_CHECK(dataset.labels.size() == (labels == LabelDomain::kNone ? 0 : dataset.samples()));
  FUZZ_CHECK(dataset.labels.allFinite());
  if (labels == LabelDomain::kBinary) FUZZ_CHECK((dataset.labels.array().abs() == 1).all());
  if (labels == LabelDomain::kCount) FUZZ_CHECK((dataset.labels.array() >= 0).all());
  if (labels == LabelDomain::kClass) {
    const auto classes = static_cast<double>(dataset.class_names.size());
    FUZZ_CHECK((dataset.labels.array() >= 0).all() && (dataset.labels.array() < classes).all());
  }

  FUZZ_CHECK(dataset.first_sample.size() == dataset.node_names.size() + 1);
  FUZZ_CHECK(dataset.first_sample.front() == 0 && dataset.first_sample.back() == dataset.samples());
  std::unordered_set<std::string_view> names;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    FUZZ_CHECK(dataset.samples_of(i) >= 0);
    FUZZ_CHECK(!dataset.node_names[i].empty() && names.insert(dataset.node_names[i]).second);
  }
  for (const WeightedEdge& edge : dataset.edges) {
    FUZZ_CHECK(edge.a >= 0 && edge.a < dataset.nodes() && edge.b >= 0 && edge.b < dataset.nodes());
    FUZZ_CHECK(std::isfinite(edge.weight) && edge.weight > 0);
  }
  FUZZ_CHECK(EmpiricalGraph::make(dataset.nodes(), dataset.edges).ok());
}

void check_tables(std::string_view text) {
  const auto table = parse_table("data.csv", text, {"node"});
  if (!table) {
    check_error(table.error(), 1);
  } else {
    FUZZ_CHECK(table->numbers.allFinite());
    FUZZ_CHECK(table->numbers.rows() == static_cast<Index>(table->number_names.size()));
    FUZZ_CHECK(table->rows() == static_cast<Index>(table->texts.front().size()));
  }
  const auto matrix = parse_matrix("data.csv", text);
  if (!matrix) {
    check_error(matrix.error(), 1);
  } else {
    FUZZ_CHECK(matrix->rows() > 0 && *matrix == matrix->transpose());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  if (text.empty()) return 0;
  constexpr LabelDomain kDomains[] = {LabelDomain::kNone, LabelDomain::kReal, LabelDomain::kBinary, LabelDomain::kCount,
                                      LabelDomain::kClass};
  const LabelDomain labels = kDomains[static_cast<unsigned char>(text.front()) % std::size(kDomains)];
  text.remove_prefix(1);

  constexpr std::string_view kSeparator = "----\n";
  const std::size_t cut = text.find(kSeparator);
  const std::string_view data = text.substr(0, cut);
  const std::string_view edges =
      cut == std::string_view::npos ? "source,target\n" : text.substr(cut + kSeparator.size());

  const auto dataset = parse_dataset({"data.csv", data}, {"edges.csv", edges}, {}, labels);
  if (dataset) {
    check_dataset(*dataset, labels);
  } else {
    check_error(dataset.error(), 2);
  }
  check_tables(data);
  return 0;
}
