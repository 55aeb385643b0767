# A second build of the same sources takes seconds where ccache is installed.
find_program(GTVMIN_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND GTVMIN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${GTVMIN_CCACHE}")
endif()

# gtvmin_compile_options(<target>): the language level and the warnings every target of this project is built with.
function(gtvmin_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # No contraction of a*b+c: results keep the same bits on machines with and without fused multiply-add.
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wno-psabi)
  if(GTVMIN_DEVELOPER)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
      -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # g++ 12 sees one in Eigen's memory handling where there is none; the address sanitizer watches for real ones.
      target_compile_options(${target} PRIVATE -Wno-use-after-free)
    endif()
  endif()
  if(GTVMIN_SANITIZE)
    # Instrumented code makes g++ 12 see uninitialised variants where there are none.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    target_compile_options(${target} PUBLIC -fsanitize=${GTVMIN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${GTVMIN_SANITIZE})
  endif()
endfunction()
