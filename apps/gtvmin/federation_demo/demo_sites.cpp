#include "demo_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <utility>

#include "../demo_files.h"

namespace gtvmin::app {
namespace {

constexpr const char* kElsewhere = "elsewhere";
constexpr const char* kLabel = "price";

/// RANCHO_CORDOVA → rancho-cordova, a name that DNS takes.
std::string site_name(std::string city) {
  for (char& c : city) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::tolower(c)) : '-';
  return city;
}

/// The cities, those with the most sales first.
std::vector<std::string> cities_by_sales(const std::vector<House>& houses) {
  std::map<std::string, int> sales;
  for (const House& house : houses) ++sales[house.city];
  std::vector<std::pair<std::string, int>> order(sales.begin(), sales.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> cities;
  cities.reserve(order.size());
  for (const auto& [city, number] : order) cities.push_back(city);
  return cities;
}

/// The nodes of a dataset in another order; order[k] becomes node k.
Dataset reorder(const Dataset& dataset, const std::vector<NodeId>& order) {
  Dataset sorted = select_nodes(dataset, order);
  std::vector<NodeId> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<NodeId>(k);
  sorted.edges.reserve(dataset.edges.size());
  for (const WeightedEdge& edge : dataset.edges) {
    const auto [a, b] = std::minmax(place[edge.a], place[edge.b]);
    sorted.edges.push_back({a, b, edge.weight});
  }
  std::sort(sorted.edges.begin(), sorted.edges.end(),
            [](const WeightedEdge& x, const WeightedEdge& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
  return sorted;
}

}  // namespace

Result<DemoSites> split_by_city(const std::vector<House>& houses, int sites, std::int64_t neighbours) {
  std::vector<std::string> cities = cities_by_sales(houses);
  if (cities.size() < static_cast<std::size_t>(sites)) {
    return bad_input(fmt::format("has sales in fewer than {} cities", sites));
  }
  cities.resize(static_cast<std::size_t>(sites) - 1);
  const auto site_of = [&](NodeId i) {
    return static_cast<SiteId>(std::find(cities.begin(), cities.end(), houses[i].city) - cities.begin());
  };
  const Dataset all = make_housing_problem(houses, 0, neighbours, 0).known;
  std::vector<NodeId> order(houses.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return site_of(a) < site_of(b); });
  const Dataset sorted = reorder(all, order);

  DemoSites demo;
  demo.federation.name = "sacramento";
  for (const std::string& city : cities) demo.federation.sites.push_back({site_name(city), "", {}});
  demo.federation.sites.push_back({kElsewhere, "", {}});
  demo.federation.node_names = sorted.node_names;
  demo.federation.edges = sorted.edges;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const SiteId site = site_of(order[k]);
    demo.federation.owner.push_back(site);
    demo.federation.sites[site].nodes.push_back(static_cast<NodeId>(k));
  }
  if (const auto connected = spanning_tree(demo.federation); !connected) return connected.error();
  for (const Site& site : demo.federation.sites) {
    demo.data.push_back(samples_csv(select_nodes(sorted, site.nodes), kLabel));
  }
  demo.all_data = samples_csv(sorted, kLabel);
  demo.edges = graph_csv(sorted);
  return demo;
}

}  // namespace gtvmin::app
