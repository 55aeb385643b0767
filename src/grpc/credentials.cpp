#include "credentials.h"

#include <arpa/inet.h>

namespace gtvmin {

std::shared_ptr<grpc::ServerCredentials> server_credentials(const std::optional<TransportCredentials>& credentials) {
  if (!credentials) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = credentials->authority;
  options.pem_key_cert_pairs.push_back({credentials->key, credentials->certificate});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> channel_credentials(const std::optional<TransportCredentials>& credentials) {
  if (!credentials) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = credentials->authority;
  options.pem_private_key = credentials->key;
  options.pem_cert_chain = credentials->certificate;
  return grpc::SslCredentials(options);
}

grpc::ChannelArguments channel_arguments(const std::string& name) {
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(name);
  arguments.SetMaxReceiveMessageSize(kLargestFrame);
  // A channel serves one attempt: who dials again, and when, is decided in one place.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return arguments;
}

std::string certificate_name(const std::string& site, const std::string& federation) { return site + "." + federation; }

bool is_loopback(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const std::string host = address.substr(0, colon);
  in_addr numbers{};  // a name that begins with 127. may be anybody's
  const bool local = inet_pton(AF_INET, host.c_str(), &numbers) == 1 && ntohl(numbers.s_addr) >> 24 == 127;
  return local || host == "localhost" || host == "[::1]";
}

}  // namespace gtvmin
