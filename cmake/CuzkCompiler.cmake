# Language level, warnings and sanitizers, set once for the whole tree.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Linked privately into every target of ours; never exported.
add_library(cuzk_warnings INTERFACE)
target_compile_options(cuzk_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion -Werror>)

if(CUZK_SANITIZE)
  add_compile_options(-fsanitize=${CUZK_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CUZK_SANITIZE})
  if(CUZK_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

# For the .cc files that hold AVX-512 IFMA code, and for no other: set_source_files_properties(x_ifma.cc
# PROPERTIES COMPILE_OPTIONS "${CUZK_IFMA_FLAGS}"). Empty where there is no such processor. GCC 12 takes the
# undefined operands of its own AVX-512 intrinsics for uninitialised variables.
set(CUZK_IFMA_FLAGS)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(CUZK_IFMA_FLAGS -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mbmi2
    $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(CUZK_SANITIZE MATCHES "undefined")
    # Every limb is indexed: with this one check clang takes five times as long, and AddressSanitizer sees what leaves.
    list(APPEND CUZK_IFMA_FLAGS -fno-sanitize=pointer-overflow)
  endif()
endif()

find_package(Threads REQUIRED)
