#include "outcome_json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace gtvmin::app {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json number_json(double x) { return std::isfinite(x) ? Json(x) : Json(fmt::format("{}", x)); }

Json points_json(const std::vector<CurvePoint>& points) {
  Json json = Json::array();
  for (const CurvePoint& point : points) json.push_back({number_json(point.x), number_json(point.y)});
  return json;
}

Json facts_json(const std::map<std::string, double>& facts) {
  Json json = Json::object();
  for (const auto& [name, value] : facts) json[name] = number_json(value);
  return json;
}

Json tuning_json(const TuningRecord& tuning) {
  Json rows = Json::array();
  for (const TuningRow& row : tuning.rows) {
    Json values = Json::object();
    for (const auto& [option, value] : row.values) values[option] = number_json(value);
    rows.push_back({{"values", std::move(values)}, {"score", number_json(row.score)}, {"chosen", row.chosen}});
  }
  return {{"by", tuning.by}, {"tried", std::move(rows)}};
}

double to_number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string text = json.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  return text == "-inf" ? -std::numeric_limits<double>::infinity() : std::nan("");
}

std::vector<CurvePoint> to_points(const Json& json) {
  std::vector<CurvePoint> points;
  points.reserve(json.size());
  for (const Json& point : json) points.push_back({to_number(point.at(0)), to_number(point.at(1))});
  return points;
}

std::map<std::string, double> to_facts(const Json& json) {
  std::map<std::string, double> facts;
  for (const auto& [name, value] : json.items()) facts[name] = to_number(value);
  return facts;
}

TuningRecord to_tuning(const Json& json) {
  TuningRecord tuning{.by = json.at("by").get<std::string>(), .rows = {}};
  for (const Json& tried : json.at("tried")) {
    TuningRow row{.values = {}, .score = to_number(tried.at("score")), .chosen = tried.at("chosen").get<bool>()};
    for (const auto& [option, value] : tried.at("values").items()) row.values.emplace_back(option, to_number(value));
    tuning.rows.push_back(std::move(row));
  }
  return tuning;
}

}  // namespace gtvmin::app
