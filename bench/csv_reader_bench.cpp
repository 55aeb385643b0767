// How fast a data file becomes a Dataset: bytes per second of read_dataset, from a file in the page cache, with numbers
// converted and rows grouped by node.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtvmin/base/rng.h"
#include "gtvmin/io/csv_writer.h"
#include "gtvmin/io/dataset_reader.h"

namespace {

using namespace gtvmin;

constexpr int kNodes = 100'000;
constexpr int kRows = 450'000;
constexpr int kFeatures = 10;
constexpr int kNeighbours = 10;

std::string node_name(std::uint64_t i) { return fmt::format("node{}", i); }

/// node,y,x1,…,x10 with 17 digits each: about 100 MB. The rows of a node are scattered through the file or not.
std::string data_text(bool scattered) {
  Rng rng(1);
  CsvWriter csv;
  csv.text("node").text("y");
  for (int k = 1; k <= kFeatures; ++k) csv.text(fmt::format("x{}", k));
  csv.end_row();
  for (std::uint64_t row = 0; row < kRows; ++row) {
    csv.text(node_name(scattered ? rng.below(kNodes) : row * kNodes / kRows));
    for (int k = 0; k <= kFeatures; ++k) csv.number(rng.normal());
    csv.end_row();
  }
  return csv.take();
}

/// A million edges with weights.
std::string edge_text() {
  Rng rng(2);
  CsvWriter csv({"source", "target", "weight"});
  for (std::uint64_t k = 1; k <= kNeighbours; ++k) {
    for (std::uint64_t i = 0; i < kNodes; ++i) {
      csv.text(node_name(i)).text(node_name((i + 997 * k) % kNodes)).number(rng.uniform() + 0.5);
      csv.end_row();
    }
  }
  return csv.take();
}

/// The three files, made once and removed at the end of the program.
class Files {
 public:
  Files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gtvmin-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    directory_ = pattern;
    std::ofstream(grouped()) << data_text(false);
    std::ofstream(scattered()) << data_text(true);
    std::ofstream(edges()) << edge_text();
    std::ofstream(one_row()) << "node,y,x\nnode0,1,2\n";
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string grouped() const { return directory_ / "grouped.csv"; }
  [[nodiscard]] std::string scattered() const { return directory_ / "scattered.csv"; }
  [[nodiscard]] std::string edges() const { return directory_ / "edges.csv"; }
  [[nodiscard]] std::string one_row() const { return directory_ / "one_row.csv"; }

 private:
  std::filesystem::path directory_;
};

const Files& files() {
  static const Files kFiles;
  return kFiles;
}

void read(benchmark::State& state, const std::string& data, const std::string& edges) {
  for (auto _ : state) {
    auto dataset = read_dataset(data, edges, {}, LabelDomain::kReal);
    if (!dataset) {
      state.SkipWithError(dataset.error().messages.front().c_str());
      return;
    }
    benchmark::DoNotOptimize(dataset->features.data());
  }
  const auto bytes = std::filesystem::file_size(data) + (edges.empty() ? 0 : std::filesystem::file_size(edges));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void read_rows_grouped_by_node(benchmark::State& state) { read(state, files().grouped(), ""); }
void read_rows_in_any_order(benchmark::State& state) { read(state, files().scattered(), ""); }
void read_a_million_edges(benchmark::State& state) { read(state, files().one_row(), files().edges()); }

BENCHMARK(read_rows_grouped_by_node)->Unit(benchmark::kMillisecond);
BENCHMARK(read_rows_in_any_order)->Unit(benchmark::kMillisecond);
BENCHMARK(read_a_million_edges)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
