#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gtvmin {

/// gRPC knows why a handshake failed and tells nobody but its own log, of which there is one per process; protobuf, why
/// a frame could not be read. From now on what matters of both goes to `log`, in words and not too often.
void route_library_log(std::function<void(const std::string&)> log, std::function<double()> seconds);

/// How often gRPC has stopped listening in this process because it could take no more connections.
[[nodiscard]] std::uint64_t failed_accepts();

/// What a line about a handshake means.
[[nodiscard]] std::string handshake_in_words(const std::string& line);

}  // namespace gtvmin
