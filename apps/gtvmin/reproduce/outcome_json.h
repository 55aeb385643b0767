#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "cell.h"

namespace gtvmin::app {

// What a cell found, as JSON that can be read back. JSON has no infinities and no NaN: they are texts.

[[nodiscard]] nlohmann::ordered_json number_json(double x);
[[nodiscard]] nlohmann::ordered_json points_json(const std::vector<CurvePoint>& points);
[[nodiscard]] nlohmann::ordered_json facts_json(const std::map<std::string, double>& facts);
[[nodiscard]] nlohmann::ordered_json tuning_json(const TuningRecord& tuning);

// The way back; a nlohmann exception where the text is something else.
[[nodiscard]] double to_number(const nlohmann::ordered_json& json);
[[nodiscard]] std::vector<CurvePoint> to_points(const nlohmann::ordered_json& json);
[[nodiscard]] std::map<std::string, double> to_facts(const nlohmann::ordered_json& json);
[[nodiscard]] TuningRecord to_tuning(const nlohmann::ordered_json& json);

}  // namespace gtvmin::app
