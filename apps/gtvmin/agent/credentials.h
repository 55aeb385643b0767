#pragma once

#include <optional>

#include "agent_options.h"
#include "gtvmin/federation/federation.h"
#include "gtvmin/grpc/transport.h"

namespace gtvmin::app {

/// Reads and checks what a site shows to others, so that what is wrong is said before anybody refuses it; nothing with
/// --insecure-loopback. Without a site the certificate may be that of any.
[[nodiscard]] Result<std::optional<TransportCredentials>> read_credentials(const CredentialSettings& settings,
                                                                           const Federation& federation,
                                                                           std::optional<SiteId> site);

}  // namespace gtvmin::app
