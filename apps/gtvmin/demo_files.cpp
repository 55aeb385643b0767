#include "demo_files.h"

#include <fmt/format.h>

#include "gtvmin/io/csv_writer.h"

namespace gtvmin::app {

std::string samples_csv(const Dataset& dataset, const std::string& label) {
  CsvWriter out;
  out.text("node").text(label);
  for (const std::string& name : dataset.feature_names) {
    out.text(name);
  }
  out.end_row();
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    for (Index s = dataset.first_sample[i]; s < dataset.first_sample[i + 1]; ++s) {
      out.text(dataset.node_names[i]).number(dataset.labels(s));
      for (const double x : dataset.features.col(s)) {
        out.number(x);
      }
      out.end_row();
    }
  }
  return out.take();
}

std::string graph_csv(const Dataset& dataset) {
  CsvWriter out({"source", "target", "weight"});
  for (const WeightedEdge& edge : dataset.edges) {
    out.text(dataset.node_names[edge.a]).text(dataset.node_names[edge.b]).number(edge.weight).end_row();
  }
  return out.take();
}

std::string run_toml(SolveSettings settings) {
  SolveSettings defaults;
  const OptionSet standard = declare_solve_options(defaults);
  const OptionSet used = declare_solve_options(settings);
  std::string text;
  for (std::size_t k = 0; k < used.options().size(); ++k) {
    const Option& option = used.options()[k];
    if (option.name == "out" || option.name == "force" || option.default_value == standard.options()[k].default_value) {
      continue;
    }
    // None of the demo's texts needs escaping.
    const bool quoted = std::holds_alternative<std::string>(option.default_value);
    text += fmt::format("{} = {}{}{}\n", option.name, quoted ? "\"" : "", to_text(option.default_value),
                        quoted ? "\"" : "");
  }
  return text;
}

}  // namespace gtvmin::app
