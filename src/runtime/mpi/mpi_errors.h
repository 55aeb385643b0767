#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <string>

#include "gtvmin/base/result.h"

namespace gtvmin {

/// What MPI says about its error code.
inline Error mpi_failure(const char* while_doing, int code) {
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return runtime_failure(fmt::format("MPI failed while {}: {}", while_doing, text));
}

}  // namespace gtvmin
