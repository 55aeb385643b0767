#include "module_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace gtvmin::app {

Result<void*> load_symbol(std::string_view library, const char* symbol, std::string_view what) {
  std::error_code unknown;
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string path = (command.parent_path() / library).lexically_normal().string();
  // Global: MPI loads parts of itself that look for its symbols.
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const found = module == nullptr ? nullptr : dlsym(module, symbol);
  if (found == nullptr) return runtime_failure(fmt::format("{} cannot be loaded: {}", what, dlerror()));
  return found;
}

}  // namespace gtvmin::app
