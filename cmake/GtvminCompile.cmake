include(CheckCXXSourceRuns)

# A second build of the same sources takes seconds where ccache is installed.
find_program(GTVMIN_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND GTVMIN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${GTVMIN_CCACHE}")
endif()

# gtvmin_processor_flags(<variable>): what lets the compiler use the wide registers of the machine that builds, or nothing.
function(gtvmin_processor_flags variable)
  set(flags "")
  if(GTVMIN_PROCESSOR STREQUAL "HOST" AND NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    check_cxx_source_runs(
      "int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }"
      GTVMIN_HOST_HAS_WIDE_REGISTERS)
    if(GTVMIN_HOST_HAS_WIDE_REGISTERS)
      set(flags -mavx2 -mfma)
    endif()
  endif()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

# gtvmin_compile_folders_as_one(<target>): with CMAKE_UNITY_BUILD the sources of a folder are compiled as one, which reads the
# headers of libraries once for all of them. Names in their unnamed namespaces must therefore differ.
function(gtvmin_compile_folders_as_one target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  get_target_property(home ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${home}" NORMALIZE)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${source}" is_generated)
    if(is_generated)
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP ${group})
  endforeach()
endfunction()

# gtvmin_compile_options(<target>): the language level and the warnings every target of this project is built with.
function(gtvmin_compile_options target)
  # When all its sources are known.
  cmake_language(EVAL CODE
    "cmake_language(DEFER DIRECTORY \"${PROJECT_SOURCE_DIR}\" CALL gtvmin_compile_folders_as_one ${target})")
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # No contraction of a*b+c: what is written here keeps its bits on machines with and without fused multiply-add.
  # Nobody reads errno after a square root, and a test for it is a branch in the hottest loop.
  gtvmin_processor_flags(processor_flags)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -Wno-psabi ${processor_flags})
  # Programs that are compiled for other processors than the library allocate and free matrices as it does.
  target_compile_definitions(${target} PUBLIC EIGEN_MAX_ALIGN_BYTES=32)
  if(GTVMIN_DEVELOPER)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
      -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # g++ 12 sees them in Eigen's memory handling and in its wide loops over small vectors, where there are none; the
      # address sanitizer watches for real ones.
      target_compile_options(${target} PRIVATE -Wno-use-after-free -Wno-array-bounds)
    endif()
  endif()
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ takes a source that is compiled as a part of another for a header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  if(GTVMIN_SANITIZE)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Instrumented code makes g++ 12 see uninitialised variants where there are none.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
    target_compile_options(${target} PUBLIC -fsanitize=${GTVMIN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${GTVMIN_SANITIZE})
  endif()
endfunction()
