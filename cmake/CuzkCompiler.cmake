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

find_package(Threads REQUIRED)
