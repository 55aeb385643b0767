#include <utility>

#include "../module_library.h"
#include "transport_library.h"

namespace gtvmin::app {
namespace {

constexpr const char* kWhat = "the transport between sites";

}  // namespace

Result<std::unique_ptr<Transport>> start_transport(TransportOptions&& options, SiteLinks& links) {
  const Result<void*> start = load_symbol(GTVMIN_TRANSPORT_LIBRARY, kStartTransport, kWhat);
  if (!start) return start.error();
  Result<std::unique_ptr<Transport>> started = std::unique_ptr<Transport>();
  reinterpret_cast<StartTransport> (*start)(std::move(options), links, started);
  return started;
}

Result<std::string> ask_site(const StatusQuestion& question) {
  const Result<void*> ask = load_symbol(GTVMIN_TRANSPORT_LIBRARY, kAskStatus, kWhat);
  if (!ask) return ask.error();
  Result<std::string> answer = std::string();
  reinterpret_cast<AskStatus> (*ask)(question, answer);
  return answer;
}

}  // namespace gtvmin::app
