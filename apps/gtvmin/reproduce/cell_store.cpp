#include "cell_store.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "gtvmin/base/fingerprint.h"
#include "gtvmin/io/output_file.h"
#include "gtvmin/io/text_file.h"

namespace gtvmin::app {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinities and no NaN.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(fmt::format("{}", x)); }

double to_number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string text = json.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  return text == "-inf" ? -std::numeric_limits<double>::infinity() : std::nan("");
}

Json points(const std::vector<CurvePoint>& points) {
  Json json = Json::array();
  for (const CurvePoint& point : points) json.push_back({number(point.x), number(point.y)});
  return json;
}

std::vector<CurvePoint> to_points(const Json& json) {
  std::vector<CurvePoint> points;
  points.reserve(json.size());
  for (const Json& point : json) points.push_back({to_number(point.at(0)), to_number(point.at(1))});
  return points;
}

}  // namespace

Status CellStore::make_folder() const {
  std::error_code code;
  std::filesystem::create_directories(folder_, code);
  if (code) return usage_error(fmt::format("{}: cannot be made: {}", folder_, code.message()));
  return Unit{};
}

std::string CellStore::path(const Cell& cell) const { return fmt::format("{}/{}.json", folder_, cell.key); }

std::optional<CellOutcome> CellStore::load(const Cell& cell) const {
  const Result<TextFile> file = TextFile::open(path(cell));
  if (!file) return std::nullopt;
  // A file that is not ours is no finished cell: it is made anew.
  try {
    const Json json = Json::parse(file->content());
    if (json.at("settings") != fingerprint(cell.settings)) return std::nullopt;
    CellOutcome outcome{.curve = to_points(json.at("curve")),
                        .cloud = to_points(json.at("cloud")),
                        .facts = {},
                        .seconds = json.at("seconds").get<double>()};
    for (const auto& [name, value] : json.at("facts").items()) outcome.facts[name] = to_number(value);
    return outcome;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

Status CellStore::save(const Cell& cell, const CellOutcome& outcome) const {
  Json facts = Json::object();
  for (const auto& [name, value] : outcome.facts) facts[name] = number(value);
  const Json json = {{"settings", fingerprint(cell.settings)},
                     {"seconds", outcome.seconds},
                     {"curve", points(outcome.curve)},
                     {"cloud", points(outcome.cloud)},
                     {"facts", facts}};
  return write_output_file(path(cell), true, json.dump() + "\n");
}

}  // namespace gtvmin::app
