#pragma once

#include <span>

#include "gtvmin/baselines/baseline.h"

namespace gtvmin {

/// FedAvg of McMahan et al. (2017) in every group of nodes on its own, all groups in the same rounds. In a round
/// ⌈participation · clients⌉ of a group's clients take local_epochs passes of plain SGD from the group's model, whose
/// average, weighted by p_i (see Clients), is the next. Every node ends with the model of its group; one without any
/// client keeps the start.
[[nodiscard]] BaselineResult fedavg_in_groups(const BaselineInput& input, const BaselineOptions& options,
                                              const BaselineContext& context, const Partition& groups);

/// What methods that train common models have to tune and to be told.
[[nodiscard]] std::vector<Tunable> fedavg_tunables(const BaselineInput& input, const BaselineOptions& options);
[[nodiscard]] std::span<const char* const> fedavg_options();

}  // namespace gtvmin
