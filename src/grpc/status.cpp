#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "credentials.h"
#include "gtvmin/grpc/transport.h"
#include "peer.grpc.pb.h"

namespace gtvmin {

Result<std::string> ask_status(const StatusQuestion& question) {
  if (question.address.empty()) {
    return usage_error(fmt::format("{} has no address: it only dials and cannot be queried", question.site));
  }
  if (!question.credentials && !is_loopback(question.address)) {
    return usage_error(fmt::format("{}: without certificates only loopback addresses are allowed", question.address));
  }
  const auto stub = wire::Peer::NewStub(
      grpc::CreateCustomChannel(question.address, channel_credentials(question.credentials),
                                channel_arguments(certificate_name(question.site, question.federation))));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::milliseconds(static_cast<std::int64_t>(1000 * question.seconds)));
  wire::SiteReport report;
  const grpc::Status answered = stub->Report(&context, {}, &report);
  if (!answered.ok()) {
    return runtime_failure(fmt::format("{} at {}: {}", question.site, question.address, answered.error_message()));
  }
  nlohmann::ordered_json json = {{"site", report.site()},
                                 {"federation", report.federation()},
                                 {"state", report.state()},
                                 {"iteration", report.iteration()},
                                 {"objective", nullptr},
                                 {"relative_gap", nullptr},
                                 {"proved_gap", nullptr},
                                 {"seconds", report.seconds()},
                                 {"neighbours", nlohmann::ordered_json::array()}};
  if (report.has_objective()) json["objective"] = report.objective();
  if (report.has_relative_gap()) json["relative_gap"] = report.relative_gap();
  if (report.has_proved_gap()) json["proved_gap"] = report.proved_gap();
  for (const wire::NeighbourReport& neighbour : report.neighbours()) {
    json["neighbours"].push_back({{"site", neighbour.site()},
                                  {"connected", neighbour.connected()},
                                  {"finished", neighbour.finished()},
                                  {"seconds", neighbour.seconds()},
                                  {"waiting", neighbour.waiting()},
                                  {"waiting_seconds", neighbour.waiting_seconds()},
                                  {"last_problem", neighbour.last_problem()},
                                  {"bytes_sent", neighbour.bytes_sent()},
                                  {"bytes_received", neighbour.bytes_received()},
                                  {"kept_messages", neighbour.kept_messages()},
                                  {"repeats", neighbour.repeats()},
                                  {"abandoned", neighbour.abandoned()}});
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gtvmin
