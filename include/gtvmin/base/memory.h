#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gtvmin/base/result.h"

namespace gtvmin {

/// Bytes that this process can still allocate: the least of what the machine has available (MemAvailable and free
/// swap), of what its control groups leave and of what the limit on address space (RLIMIT_AS) leaves. Nullopt where the
/// system does not say.
[[nodiscard]] std::optional<double> available_memory();

/// "31 GiB", "1.5 GiB", "12 MiB": two significant digits, in powers of 1024.
[[nodiscard]] std::string memory_text(double bytes);

/// Fails with "<what> needs about 31 GiB of memory, 24 GiB are available" if `bytes` are not available. To be asked
/// before an allocation that grows with the input: the system may grant memory that it does not have and end the
/// process when it is used. An amount below 64 MiB is not checked.
[[nodiscard]] Status require_memory(double bytes, std::string_view what);
/// The same with a known amount of available memory; nullopt: nothing is refused.
[[nodiscard]] Status require_memory(double bytes, std::string_view what, const std::optional<double>& available);

}  // namespace gtvmin
