#include "gtvmin/runtime/site_checkpoint.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "gtvmin/base/bytes.h"
#include "gtvmin/base/seal.h"
#include "gtvmin/io/output_file.h"
#include "gtvmin/io/text_file.h"

namespace gtvmin {
namespace {

constexpr std::string_view kSiteFormat = "gtvmin site checkpoint 4";

void write_count(ByteWriter& out, std::uint64_t count) { out.integer(static_cast<std::int64_t>(count)); }
std::uint64_t read_count(ByteReader& in) { return static_cast<std::uint64_t>(in.integer()); }

void write_link(ByteWriter& out, const LinkState& link) {
  for (const std::uint64_t number : {link.used, link.iterations, link.sums, link.sent}) write_count(out, number);
  write_count(out, link.kept.size());
  for (const std::string& message : link.kept) out.text(message);
}

LinkState read_link(ByteReader& in) {
  LinkState link;
  for (std::uint64_t* number : {&link.used, &link.iterations, &link.sums, &link.sent}) {
    *number = read_count(in);
  }
  for (auto left = read_count(in); left > 0 && in.ok(); --left) link.kept.emplace_back(in.text());
  return link;
}

}  // namespace

std::string encode_checkpoint(const SiteCheckpoint& checkpoint) {
  ByteWriter content;
  write_count(content, checkpoint.identity.size());
  for (const std::string& line : checkpoint.identity) content.text(line);
  write_count(content, checkpoint.finished);
  content.integer(checkpoint.exit_code);
  write_count(content, checkpoint.iterations);
  write_count(content, checkpoint.sums);
  content.text(checkpoint.state ? pack(*checkpoint.state) : std::string());
  for (const Matrix* part : {&checkpoint.w, &checkpoint.u, &checkpoint.w_window, &checkpoint.u_window}) {
    content.matrix(*part);
  }
  write_count(content, checkpoint.links.size());
  for (const LinkState& link : checkpoint.links) write_link(content, link);
  write_count(content, checkpoint.absences.size());
  for (const SiteExchange::Absence& absence : checkpoint.absences) {
    write_count(content, absence.since);
    content.text(absence.last_parameters);
  }
  content.text(checkpoint.policy);
  write_count(content, checkpoint.sent.size());
  for (const auto& [node, w] : checkpoint.sent) {
    content.integer(node);
    content.matrix(w);
  }
  return seal(kSiteFormat, content.take());
}

Result<SiteCheckpoint> decode_checkpoint(std::string_view bytes) {
  if (sealed_format(bytes) != kSiteFormat) return bad_input("is not a checkpoint of a site, or one of another version");
  const Error damaged = bad_input("is damaged");
  const auto content = unseal(bytes);
  if (!content) return damaged;
  ByteReader in(*content);
  SiteCheckpoint checkpoint;
  for (auto left = read_count(in); left > 0 && in.ok(); --left) checkpoint.identity.emplace_back(in.text());
  checkpoint.finished = read_count(in) != 0;
  checkpoint.exit_code = static_cast<int>(in.integer());
  checkpoint.iterations = read_count(in);
  checkpoint.sums = read_count(in);
  if (const std::string_view state = in.text(); !state.empty()) {
    Result<SolverState> known = unpack_state(state);
    if (!known) return known.error();
    checkpoint.state = *std::move(known);
  }
  for (Matrix* part : {&checkpoint.w, &checkpoint.u, &checkpoint.w_window, &checkpoint.u_window}) {
    *part = in.matrix();
  }
  for (auto left = read_count(in); left > 0 && in.ok(); --left) checkpoint.links.push_back(read_link(in));
  for (auto left = read_count(in); left > 0 && in.ok(); --left) {
    const std::uint64_t since = read_count(in);
    checkpoint.absences.push_back({since, std::string(in.text())});
  }
  checkpoint.policy = in.text();
  for (auto left = read_count(in); left > 0 && in.ok(); --left) {
    const auto node = static_cast<NodeId>(in.integer());
    const Matrix w = in.matrix();
    if (w.rows() != checkpoint.w.rows() || w.cols() != 1) return damaged;
    checkpoint.sent[node] = w;
  }
  if (!in.ok() || !in.at_end()) return damaged;
  return checkpoint;
}

bool restore_shard(const SiteCheckpoint& checkpoint, Shard& shard) {
  const auto alike = [](const Matrix& a, const Matrix& b) { return a.rows() == b.rows() && a.cols() == b.cols(); };
  const bool fits = alike(checkpoint.w, shard.w) && alike(checkpoint.u, shard.u) &&
                    alike(checkpoint.w_window, shard.w_window) && alike(checkpoint.u_window, shard.u_window);
  if (!fits) return false;
  Matrix w = Matrix::Zero(shard.w.rows(), shard.problem->nodes());
  Matrix u = Matrix::Zero(shard.u.rows(), shard.problem->edges());
  for (Index i = 0; i < shard.local_nodes(); ++i) w.col(shard.nodes[i]) = checkpoint.w.col(i);
  for (Index e = 0; e < shard.local_edges(); ++e) u.col(shard.edge_ids[e]) = shard.signs[e] * checkpoint.u.col(e);
  set_state(shard, w, u);
  shard.w_window = checkpoint.w_window;
  shard.u_window = checkpoint.u_window;
  return true;
}

Result<CheckpointFolder> CheckpointFolder::open(std::string path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return runtime_failure(fmt::format("{}: {}", path, failed.message()));
  Result<FileLock> lock = FileLock::take(path + "/lock", path + ": another agent saves its checkpoints here");
  if (!lock) return lock.error();
  CheckpointFolder folder(std::move(path), *std::move(lock));
  remove_partial_files(folder.last());
  return folder;
}

Status CheckpointFolder::save(const SiteCheckpoint& checkpoint) const {
  std::error_code ignored;  // there may be none yet
  std::filesystem::remove(before(), ignored);
  std::filesystem::create_hard_link(last(), before(), ignored);
  const Status written = write_output_file(last(), true, encode_checkpoint(checkpoint));
  if (!written) return runtime_failure(written.error().messages.front());
  // The new name must be on the disk as well before neighbours are told to forget.
  return sync_folder(path_);
}

Result<std::optional<SiteCheckpoint>> CheckpointFolder::load(std::string& warning) const {
  if (!std::filesystem::exists(last()) && !std::filesystem::exists(before())) return std::optional<SiteCheckpoint>();
  std::vector<std::string> problems;
  for (const std::string& path : {last(), before()}) {
    const Result<TextFile> file = TextFile::open(path);
    Result<SiteCheckpoint> checkpoint =
        file ? decode_checkpoint(file->content()) : Result<SiteCheckpoint>(file.error());
    if (checkpoint) return std::optional(*std::move(checkpoint));
    problems.push_back(fmt::format("{}: {}", path, checkpoint.error().messages.front()));
    warning = problems.front() + "; resuming from the previous checkpoint";
  }
  return Error{Error::Kind::kBadInput, std::move(problems)};
}

}  // namespace gtvmin
