find_package(GTest REQUIRED CONFIG)
include(GoogleTest)

set(CUZK_TEST_DEFINITIONS CUZK_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")

# How tests, and what only they use, are compiled. At -O3 the tests alone take longer than everything that they test;
# what they call in the libraries is optimised as it is for users.
function(cuzk_test_options target)
  target_compile_definitions(${target} PRIVATE ${CUZK_TEST_DEFINITIONS})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# What every test includes, read once for all of them, where clang compiles: of headers that GCC 12 has precompiled, its
# optimiser warns as of no system header (of std::string, wrongly), and clang's tools cannot read them. With a compiler
# launcher it is left out, as ccache keeps no objects made with them. Of an executable, as its objects are of another kind
# than a library's.
option(CUZK_TEST_PCH "Precompile GoogleTest's headers for the tests (clang without a compiler launcher)" OFF)
if(CUZK_TEST_PCH AND CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_pch.cc CONTENT "int main() {}\n")
  add_executable(cuzk_test_pch ${PROJECT_BINARY_DIR}/test_pch.cc)
  target_link_libraries(cuzk_test_pch PRIVATE cuzk_warnings GTest::gmock GTest::gtest_main)
  target_precompile_headers(cuzk_test_pch PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  cuzk_test_options(cuzk_test_pch)
endif()
