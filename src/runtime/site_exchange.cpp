#include "gtvmin/runtime/site_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <utility>

namespace gtvmin {
namespace {

constexpr double kSlice = 0.2;       // seconds between two looks at whether to go on
constexpr double kFirstNotice = 5;   // a wait this long is worth a line in the log, …
constexpr double kNoticeGrowth = 2;  // … and another one when it is this many times as long

}  // namespace

std::vector<SiteNeighbour> site_neighbours(const Federation& federation, SiteId site) {
  const Result<SpanningTree> tree = spanning_tree(federation);
  assert(tree);  // a federation that has been read is connected
  const auto& children = tree->children[site];
  std::vector<SiteNeighbour> list;
  for (const SiteId other : neighbours(federation, site)) {
    list.push_back(
        {.site = other,
         .ours = boundary_nodes(federation, site, other),
         .theirs = boundary_nodes(federation, other, site),
         .is_parent = federation.sums && tree->parent[site] == other,
         .is_child = federation.sums && std::find(children.begin(), children.end(), other) != children.end()});
  }
  return list;
}

std::vector<LinkSpec> link_specs(const Federation& federation, const std::vector<SiteNeighbour>& neighbours,
                                 Index dimension) {
  std::vector<LinkSpec> specs;
  specs.reserve(neighbours.size());
  for (const SiteNeighbour& neighbour : neighbours) {
    specs.push_back({.site = federation.sites[neighbour.site].name,
                     .shape = {.nodes = neighbour.theirs,
                               .dimension = dimension,
                               .from_child = neighbour.is_child,
                               .from_parent = neighbour.is_parent}});
  }
  return specs;
}

SiteExchange::SiteExchange(const Shard& shard, std::vector<SiteNeighbour> neighbours, SiteLinks& links, Options options,
                           std::uint64_t iterations, std::uint64_t sums)
    : neighbours_(std::move(neighbours)),
      absences_(neighbours_.size()),
      links_(links),
      options_(std::move(options)),
      iterations_(iterations),
      sums_(sums) {
  assert(neighbours_.size() == links.size());
  rejoin(shard);
}

void SiteExchange::rejoin(const Shard& shard) {
  std::unordered_map<NodeId, Index> column_of;
  for (Index column = 0; column < shard.local_nodes(); ++column) column_of[shard.nodes[column]] = column;
  const auto columns = [&](const std::vector<NodeId>& nodes) {
    std::vector<Index> list;
    list.reserve(nodes.size());
    for (const NodeId node : nodes) {
      if (const auto found = column_of.find(node); found != column_of.end()) list.push_back(found->second);
    }
    return list;
  };
  columns_.clear();
  columns_.reserve(neighbours_.size());
  for (const SiteNeighbour& neighbour : neighbours_) {
    columns_.push_back({columns(neighbour.ours), columns(neighbour.theirs)});
  }
}

void SiteExchange::restore_absences(std::vector<Absence> absences) {
  assert(absences.size() == absences_.size());
  absences_ = std::move(absences);
  for (std::size_t k = 0; k < absences_.size(); ++k) {
    if (is_absent(k)) links_.abandon(k, absence_text(absences_[k].since));
  }
}

std::string SiteExchange::absence_text(std::uint64_t since) const {
  return fmt::format("it was absent for too long: since iteration {} {}", since, options_.consequence);
}

Status SiteExchange::swap(std::span<Shard> shards) {
  assert(shards.size() == 1);
  Shard& shard = shards.front();
  ++iterations_;
  if (Status released = release_updates(shard); !released) return released;
  for (std::size_t k = 0; k < neighbours_.size(); ++k) {
    if (is_absent(k)) continue;
    if (Status room = wait_for_room(k); !room) return room;
    if (is_absent(k)) continue;
    links_.send(k, parameters_message(iterations_, neighbours_[k].ours, shard.w_next, columns_[k].ours));
  }
  for (std::size_t k = 0; k < neighbours_.size(); ++k) {
    if (Status filled = fill_ghosts(k, shard); !filled) return filled;
  }
  return Unit{};
}

Status SiteExchange::release_updates(Shard& shard) {
  std::vector<char> done(static_cast<std::size_t>(shard.owned()), 0);  // a node may have neighbours at several sites
  for (std::size_t k = 0; k < neighbours_.size(); ++k) {
    if (is_absent(k)) continue;
    for (const Index column : columns_[k].ours) {
      if (std::exchange(done[static_cast<std::size_t>(column)], 1) != 0) continue;
      if (!shard.w_next.col(column).allFinite()) {
        return runtime_failure(fmt::format("iteration {}: the parameters of node {} are no longer finite numbers",
                                           iterations_, shard.nodes[column]));
      }
      if (options_.release) release_update(shard, column);
    }
  }
  return Unit{};
}

/// The step from what was sent before to what is sent now is what neighbours see, and must be what the edges see here.
void SiteExchange::release_update(Shard& shard, Index column) {
  const NodeId node = shard.nodes[column];
  own_updates_[column] = shard.w_next.col(column);
  options_.release(iterations_, node, shard.w_next.col(column));
  if (const auto before = sent_.find(node); before != sent_.end()) shard.w.col(column) = before->second;
}

void SiteExchange::settle(std::span<Shard> shards) {
  Shard& shard = shards.front();
  for (const auto& [column, update] : own_updates_) {
    sent_[shard.nodes[column]] = shard.w.col(column);
    shard.w.col(column) = update;
  }
  own_updates_.clear();
}

Status SiteExchange::fill_ghosts(std::size_t link, Shard& shard) {
  std::string& last = absences_[link].last_parameters;
  if (!is_absent(link)) {
    auto message = receive(link, {MessageKind::kParameters, iterations_});
    if (!message) return message.error();
    if (*message) {
      read_parameters(**message, shard.w_next, columns_[link].theirs);
      if (options_.patience) last = **std::move(message);
      return Unit{};
    }
  }
  if (!last.empty()) {
    read_parameters(last, shard.w_next, columns_[link].theirs);
  } else {
    for (const Index column : columns_[link].theirs) shard.w_next.col(column) = shard.w.col(column);
  }
  return Unit{};
}

Result<SteeringSums> SiteExchange::sum(std::span<const SteeringSums> parts) {
  assert(parts.size() == 1);
  ++sums_;
  SteeringSums total = parts.front();
  for (std::size_t k = 0; k < neighbours_.size(); ++k) {
    if (!neighbours_[k].is_child || is_absent(k)) continue;
    const auto partial = receive(k, {MessageKind::kPartialSums, sums_});
    if (!partial) return partial.error();
    if (*partial) total.add(read_sums(**partial));
  }
  const Index absent = absent_count();
  total.sums[SteeringSums::kAbsent].add(static_cast<double>(absent));
  for (std::size_t k = 0; k < neighbours_.size(); ++k) {
    if (!neighbours_[k].is_parent || is_absent(k)) continue;
    links_.send(k, sums_message(MessageKind::kPartialSums, sums_, total));
    const auto all = receive(k, {MessageKind::kTotalSums, sums_});
    if (!all) return all.error();
    if (*all) total = read_sums(**all);
  }
  // Who has just given up its parent is the root of what is left.
  total.sums[SteeringSums::kAbsent].add(static_cast<double>(absent_count() - absent));
  for (std::size_t k = 0; k < neighbours_.size(); ++k) {
    if (neighbours_[k].is_child && !is_absent(k)) links_.send(k, sums_message(MessageKind::kTotalSums, sums_, total));
  }
  absence_elsewhere_ = absence_elsewhere_ || total[SteeringSums::kAbsent] > 0;
  return total;
}

Index SiteExchange::absent_count() const {
  return std::count_if(absences_.begin(), absences_.end(), [](const Absence& absence) { return absence.since > 0; });
}

bool SiteExchange::is_inexact() const { return absence_elsewhere_ || absent_count() > 0; }

/// Who is connected is only slow, or waits for others itself.
bool SiteExchange::patience_is_over(const LinkReport& report) const {
  return options_.patience && !report.connected && report.away_seconds >= *options_.patience;
}

Status SiteExchange::check_refusals() const {
  if (options_.patience) return Unit{};  // which comes to an end
  for (const LinkReport& report : links_.reports()) {
    if (report.refused_for_good.empty()) continue;
    return runtime_failure(fmt::format("iteration {}: this site cannot continue: {} has refused it permanently: {}",
                                       iterations_, report.site, report.refused_for_good));
  }
  return Unit{};
}

void SiteExchange::give_up(std::size_t link) {
  const std::uint64_t since = std::max<std::uint64_t>(1, iterations_);  // sums come before the first
  absences_[link].since = since;
  links_.abandon(link, absence_text(since));
  if (options_.log) options_.log(fmt::format("{}: {}", links_.site(link), absence_text(since)));
}

template <class Attempt>
Status SiteExchange::wait_for(std::size_t link, std::string_view slow, const Attempt& attempt) {
  double waited = 0;
  double notice = kFirstNotice;
  while (!attempt()) {
    if (links_.stopped() || (options_.interrupted && options_.interrupted())) {
      return runtime_failure(
          fmt::format("interrupted in iteration {} while waiting for {}", iterations_, links_.site(link)));
    }
    if (Status talks = check_refusals(); !talks) return talks;
    waited += kSlice;
    const LinkReport report = links_.reports()[link];
    if (patience_is_over(report)) {
      give_up(link);
      break;
    }
    if (waited < notice || !options_.log) continue;
    notice *= kNoticeGrowth;
    options_.log(fmt::format("iteration {}: waiting for {} for {:.0f} s; {}", iterations_, report.site, waited,
                             report.connected ? slow : report.last_problem));
  }
  return Unit{};
}

Result<std::optional<std::string>> SiteExchange::receive(std::size_t link, const MessageHeader& due) {
  std::optional<std::string> message;
  const Status came = wait_for(link, "it is connected but has not reached this iteration", [&] {
    message = links_.receive(link, due, kSlice);
    return message.has_value();
  });
  if (!came) return came.error();
  return message;
}

Status SiteExchange::wait_for_room(std::size_t link) {
  return wait_for(
      link,
      "it is connected but has not saved a checkpoint for too long; the limit of kept messages (--keep) is reached",
      [&] { return links_.wait_for_room(link, kSlice); });
}

}  // namespace gtvmin
