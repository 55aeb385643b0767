#pragma once

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <memory>
#include <optional>
#include <string>

#include "gtvmin/grpc/transport.h"

namespace gtvmin {

/// Chunks, and some room for what frames them.
constexpr int kLargestFrame = static_cast<int>(kLongestChunk) + 4096;

[[nodiscard]] std::shared_ptr<grpc::ServerCredentials> server_credentials(
    const std::optional<TransportCredentials>& credentials);
[[nodiscard]] std::shared_ptr<grpc::ChannelCredentials> channel_credentials(
    const std::optional<TransportCredentials>& credentials);
/// Of a channel that is used for one connection to the site `name`, which is what its certificate must be for.
[[nodiscard]] grpc::ChannelArguments channel_arguments(const std::string& name);
/// The name in a site's certificate.
[[nodiscard]] std::string certificate_name(const std::string& site, const std::string& federation);

}  // namespace gtvmin
