#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gtvmin/evaluate/label_error.h"
#include "gtvmin/evaluate/parameter_error.h"

namespace gtvmin::app {

/// What a result was compared with, and how well it did.
struct Evaluation {
  struct Parameters {
    ParameterError error;
    std::vector<std::string> coordinates;
    Index nodes = 0;
    /// The truth has nothing to say about the intercept, which was left out.
    bool without_intercept = false;
    /// The parameters were brought back from standardised features.
    bool converted = false;
  };
  struct Labels {
    LabelError error;
    NodeId nodes = 0;
  };
  struct Clusters {
    double adjusted_rand_index = 0;
    NodeId found = 0;
    NodeId expected = 0;
  };
  std::optional<Parameters> parameters;
  std::optional<Labels> labels;
  std::optional<Clusters> clusters;
};

/// A small table for a person.
[[nodiscard]] std::string evaluation_text(const Evaluation& evaluation);
/// The same as one JSON object.
[[nodiscard]] std::string evaluation_json(const Evaluation& evaluation);

}  // namespace gtvmin::app
