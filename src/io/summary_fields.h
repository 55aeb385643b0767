#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gtvmin/certify/certificate.h"
#include "gtvmin/io/trained_models.h"

namespace gtvmin {

using SummaryJson = nlohmann::ordered_json;

/// The fields of summary.json that every method has.
void add_trained_models(const TrainedModels& trained, const std::vector<std::string>& warnings, SummaryJson& json);

/// What a certificate says about the whole problem.
[[nodiscard]] SummaryJson certificate_json(const Certificate& certificate);

[[nodiscard]] std::string to_text(const SummaryJson& json);

}  // namespace gtvmin
