# cuzk_module(NAME
#   INTERNAL         is part of the command and not installed with the libraries
#   HEADERS ... SOURCES ... DEPENDS ... PRIVATE_DEPENDS ...
#   TESTS ...        x_test.cc files, linked into one binary cuzk_NAME_test, labelled `unit`
#   SLOW_TESTS ...   likewise cuzk_NAME_slow_test, labelled `release` (too slow for sanitizers)
#   LONG_TESTS ...   likewise cuzk_NAME_long_test, labelled `long` (over a minute, run by hand), where
#                    CUZK_BUILD_LONG_TESTS is on
#   TEST_DEPENDS ... extra libraries for the tests)
#
# One static library cuzk_NAME with the alias cuzk::NAME. A module may include the
# headers of its DEPENDS and of nothing else; tests/layers checks that.
# Header-only modules give no SOURCES.
function(cuzk_module name)
  cmake_parse_arguments(M "INTERNAL" ""
    "HEADERS;SOURCES;DEPENDS;PRIVATE_DEPENDS;TESTS;SLOW_TESTS;LONG_TESTS;TEST_DEPENDS" ${ARGN})
  set(target cuzk_${name})
  if(M_SOURCES)
    add_library(${target} STATIC ${M_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:cuzk_warnings>)
    target_link_libraries(${target} PRIVATE ${M_PRIVATE_DEPENDS})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(cuzk::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${M_HEADERS})
  foreach(dep IN LISTS M_DEPENDS)
    target_link_libraries(${target} ${scope} ${dep})
  endforeach()
  target_compile_features(${target} ${scope} cxx_std_20)
  # What tests/headers.sh looks at.
  foreach(kind HEADERS SOURCES)
    list(TRANSFORM M_${kind} PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
    list(FILTER files EXCLUDE REGEX "\\.cu$")
    set_property(GLOBAL APPEND PROPERTY CUZK_${kind} ${files})
  endforeach()
  if(NOT M_INTERNAL)
    set_property(GLOBAL APPEND PROPERTY CUZK_TARGETS ${target})
  endif()

  if(CUZK_BUILD_TESTS)
    set(kinds TESTS)
    if(CUZK_BUILD_SLOW_TESTS)
      list(APPEND kinds SLOW_TESTS)
    endif()
    if(CUZK_BUILD_LONG_TESTS)
      list(APPEND kinds LONG_TESTS)
    endif()
    foreach(kind IN LISTS kinds)
      if(M_${kind})
        set(label unit)
        set(test_target ${target}_test)
        if(kind STREQUAL "SLOW_TESTS")
          set(label release)
          set(test_target ${target}_slow_test)
        elseif(kind STREQUAL "LONG_TESTS")
          set(label long)
          set(test_target ${target}_long_test)
        endif()
        add_executable(${test_target} ${M_${kind}})
        target_link_libraries(${test_target} PRIVATE
          ${target} ${M_TEST_DEPENDS} cuzk_warnings GTest::gmock GTest::gtest_main)
        if(kind STREQUAL "LONG_TESTS")
          target_compile_definitions(${test_target} PRIVATE ${CUZK_TEST_DEFINITIONS})
        else()
          cuzk_test_options(${test_target})
          if(TARGET cuzk_test_pch)
            target_precompile_headers(${test_target} REUSE_FROM cuzk_test_pch)
          endif()
        endif()
        gtest_discover_tests(${test_target} TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 60
          PROPERTIES LABELS ${label} TIMEOUT 1200)
      endif()
    endforeach()
  endif()
endfunction()
