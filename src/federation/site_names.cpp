#include "site_names.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "gtvmin/federation/federation.h"

namespace gtvmin {
namespace {

constexpr std::size_t kLabelBytes = 63;
constexpr std::size_t kHostBytes = 253;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_label(std::string_view name, bool upper_too) {
  const auto fits = [&](char c) { return is_lower(c) || is_digit(c) || c == '-' || (upper_too && is_upper(c)); };
  return !name.empty() && name.size() <= kLabelBytes && name.front() != '-' && name.back() != '-' &&
         std::all_of(name.begin(), name.end(), fits);
}

bool is_host_name(std::string_view host) {
  if (host.size() > kHostBytes) return false;
  while (true) {
    const std::size_t dot = std::min(host.find('.'), host.size());
    if (!is_label(host.substr(0, dot), true)) return false;
    if (dot == host.size()) return true;
    host.remove_prefix(dot + 1);
  }
}

bool is_ipv4(std::string_view host) {
  in_addr parsed{};
  return inet_pton(AF_INET, std::string(host).c_str(), &parsed) == 1;
}

bool is_ipv6(std::string_view host) {
  in6_addr parsed{};
  return inet_pton(AF_INET6, std::string(host).c_str(), &parsed) == 1;
}

/// A host of digits and dots only is meant to be an IPv4 address, and has to be one.
bool is_host(std::string_view host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') return is_ipv6(host.substr(1, host.size() - 2));
  const bool numeric = std::all_of(host.begin(), host.end(), [](char c) { return is_digit(c) || c == '.'; });
  return numeric ? is_ipv4(host) : is_host_name(host);
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

}  // namespace

bool is_dns_label(std::string_view name) { return is_label(name, false); }

bool is_address(std::string_view address) {
  // A zero byte would end the text for the functions of C.
  if (address.find('\0') != std::string_view::npos) return false;
  const std::size_t colon = address.rfind(':');
  return colon != std::string_view::npos && is_host(address.substr(0, colon)) && is_port(address.substr(colon + 1));
}

}  // namespace gtvmin
