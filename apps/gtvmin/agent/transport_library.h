#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gtvmin/grpc/transport.h"

namespace gtvmin::app {

// gRPC stands in a library of its own, which is loaded where it is needed: other commands need not wait for it to
// start. Both sides are of one build.

using StartTransport = void (*)(TransportOptions&& options, SiteLinks& links,
                                Result<std::unique_ptr<Transport>>& started);
constexpr const char* kStartTransport = "gtvmin_start_transport";

using AskStatus = void (*)(const StatusQuestion& question, Result<std::string>& answer);
constexpr const char* kAskStatus = "gtvmin_ask_status";

/// Transport::start of that library.
[[nodiscard]] Result<std::unique_ptr<Transport>> start_transport(TransportOptions&& options, SiteLinks& links);
/// ask_status of that library.
[[nodiscard]] Result<std::string> ask_site(const StatusQuestion& question);

}  // namespace gtvmin::app
