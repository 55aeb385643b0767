#include "library_log.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <openssl/ssl.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "quiet_log.h"

namespace gtvmin {
namespace {

std::mutex mutex;
std::shared_ptr<QuietLog> quiet_log;
std::atomic<std::uint64_t> accepts_failed{0};
/// What was wrong with the certificate of a caller, which gRPC does not ask; on this thread, where the line that says
/// that it was refused comes next.
thread_local std::string certificate_error;

/// OpenSSL calls this of every record.
void watch_record(int sent, int /*version*/, int kind, const void* /*bytes*/, std::size_t /*size*/, SSL* connection,
                  void* /*pointer*/) {
  if (sent == 0 || kind != SSL3_RT_ALERT || SSL_is_server(connection) == 0) return;
  const long verified = SSL_get_verify_result(connection);
  certificate_error = verified == X509_V_OK ? "" : X509_verify_cert_error_string(verified);
}

void watch_new_connection(void* connection, void* /*data*/, CRYPTO_EX_DATA* /*all*/, int /*index*/, long /*number*/,
                          void* /*pointer*/) {
  SSL_set_msg_callback(static_cast<SSL*>(connection), watch_record);
}

/// gRPC makes connections out of sight; the only way to them is to have data of one's own in each.
void watch_connections() {
  [[maybe_unused]] static const int index = SSL_get_ex_new_index(0, nullptr, watch_new_connection, nullptr, nullptr);
}

struct Meaning {
  std::string_view sign;
  std::string_view words;
};
constexpr std::array kMeanings = {
    Meaning{"peer did not return a certificate", "it showed no certificate"},
    Meaning{"unsupported protocol", "it does not support TLS 1.2 or later"},
    Meaning{"wrong version number", "it does not speak TLS"},
    Meaning{"http request", "it does not speak TLS"},
    Meaning{"unknown ca", "it does not know this federation's authority"},
    Meaning{"bad certificate", "it does not accept this site's certificate"},
    Meaning{"certificate expired", "it says that this site's certificate has expired"},
    Meaning{"timed out", "the handshake timed out"},
    Meaning{"Socket closed", "it closed the connection"},
};

void say(const std::string& line) {
  std::shared_ptr<QuietLog> log;
  {
    const std::lock_guard lock(mutex);
    log = quiet_log;
  }
  if (log) log->say(line, line);
}

void take_library_line(gpr_log_func_args* line) {
  const std::string_view file(line->file);
  const std::string_view message(line->message);
  if (file.ends_with("ssl_transport_security.cc")) return;  // the same again, or a stream that was dialled says it
  if (file.ends_with("chttp2_server.cc")) {
    const std::string wrong = std::exchange(certificate_error, {});
    say("a caller was refused in the handshake: " +
        (wrong.empty() ? handshake_in_words(std::string(message)) : "its certificate is not valid here: " + wrong));
  } else if (message.starts_with("Failed accept4")) {
    ++accepts_failed;
    say(fmt::format("no more connections can be accepted ({})", message));
  } else if (line->severity == GPR_LOG_SEVERITY_ERROR) {
    say(fmt::format("gRPC: {}", message));
  }
}

/// protobuf has a line for every text that is not UTF-8.
void take_protobuf_line(google::protobuf::LogLevel level, const char* /*file*/, int /*line*/,
                        const std::string& message) {
  if (level >= google::protobuf::LOGLEVEL_ERROR) say(fmt::format("protobuf: {}", message));
}

}  // namespace

void route_library_log(std::function<void(const std::string&)> log, std::function<double()> seconds) {
  const std::lock_guard lock(mutex);
  quiet_log = log ? std::make_shared<QuietLog>(std::move(log), std::move(seconds)) : nullptr;
  watch_connections();
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_DEBUG);
  gpr_set_log_function(take_library_line);
  google::protobuf::SetLogHandler(take_protobuf_line);
}

std::uint64_t failed_accepts() { return accepts_failed; }

std::string handshake_in_words(const std::string& line) {
  for (const Meaning& meaning : kMeanings) {
    if (line.find(meaning.sign) != std::string::npos) return fmt::format("{} ({})", meaning.words, meaning.sign);
  }
  return line.substr(0, line.find(" {"));  // without places and times in gRPC, which differ
}

}  // namespace gtvmin
