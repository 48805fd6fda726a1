#include "cuzk/engine/saved_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cuzk::engine {
namespace {

class SavedShapesTest : public testing::Test {
 protected:
  SavedShapesTest() { std::filesystem::remove_all(folder_); }
  ~SavedShapesTest() override { std::filesystem::remove_all(folder_); }

  /// Loads the circuit as the program with that number would.
  LoadedShape load(std::uint8_t program) {
    Bytes32 digest{};
    digest[0] = program;
    return saved(digest).load(pool_, circuit_).value();
  }
  SavedShapes saved(const Bytes32& program) {
    return {folder_, program, [this](const std::string& text) { warnings_.push_back(text); }};
  }

  ThreadPool pool_{1};
  unsigned recordings_ = 0;
  std::vector<std::string> warnings_;
  // Of this test alone: tests run side by side.
  std::string folder_ = testing::TempDir() + "/cuzk-saved-shapes-test/" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + "/shapes";
  Circuit real_ = find_circuit("wpost-2k").value();
  Circuit circuit_{real_.id, real_.kind, real_.params_stem,
                   [this](ThreadPool& pool, const std::stop_token& stop) {
                     ++recordings_;
                     return real_.record(pool, stop);
                   }};
};

TEST_F(SavedShapesTest, RecordsOnceAndReadsFromThenOn) {
  const LoadedShape first = load(1);
  EXPECT_FALSE(first.from_file);
  const LoadedShape second = load(1);
  EXPECT_TRUE(second.from_file);
  EXPECT_EQ(recordings_, 1U);
  EXPECT_EQ(second.shape->num_constraints(), first.shape->num_constraints());
  EXPECT_EQ(second.shape->num_aux(), first.shape->num_aux());
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SavedShapesTest, AnotherProgramRecordsAnew) {
  load(1);
  EXPECT_FALSE(load(2).from_file);
  EXPECT_EQ(recordings_, 2U);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], testing::HasSubstr("wpost-2k.shape"));
  EXPECT_TRUE(load(2).from_file) << "its own file replaced the other";
}

TEST_F(SavedShapesTest, ADamagedFileIsReplaced) {
  load(1);
  const std::string file = saved({}).path(circuit_);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_FALSE(load(1).from_file);
  EXPECT_EQ(warnings_.size(), 1U);
  EXPECT_TRUE(load(1).from_file);
}

TEST_F(SavedShapesTest, WithoutAFolderTheShapeIsThereAllTheSame) {
  std::filesystem::create_directories(std::filesystem::path(folder_).parent_path());
  std::ofstream(folder_) << "a file where the folder should be";
  const LoadedShape shape = load(1);
  EXPECT_FALSE(shape.from_file);
  EXPECT_NE(shape.shape, nullptr);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], testing::HasSubstr("not saved"));
}

TEST_F(SavedShapesTest, AStopEndsTheRecordingAndLeavesNothing) {
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = saved({}).load(pool_, circuit_, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kStopped);
  EXPECT_FALSE(std::filesystem::exists(saved({}).path(circuit_)));
  EXPECT_FALSE(load(1).from_file);
}

TEST(RunningProgram, IsTheSameEveryTime) {
  const auto one = running_program();
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(*one, *running_program());
  EXPECT_NE(*one, Bytes32{});
}

}  // namespace
}  // namespace cuzk::engine
