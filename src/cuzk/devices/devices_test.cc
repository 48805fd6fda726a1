#include "cuzk/devices/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cuzk::devices {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OpenDevices : public testing::Test {
 protected:
  Result<Devices> open(std::vector<DeviceName> names, std::uint64_t vram_limit = 0,
                       unsigned points_per_base = 1) {
    return open_devices(
        pool_, {.names = std::move(names), .vram_limit = vram_limit, .points_per_base = points_per_base},
        [&](const std::string& text) { warnings_.push_back(text); });
  }

  ThreadPool pool_{1};
  std::vector<std::string> warnings_;
};

TEST_F(OpenDevices, TheProcessorWhereItIsAskedFor) {
  const auto devices = open({"cpu"}, 1 << 30, 0);
  ASSERT_TRUE(devices) << devices.error().message;
  EXPECT_EQ(devices->backend, "cpu");
  ASSERT_EQ(devices->list.size(), 1U);
  EXPECT_EQ(devices->list[0]->info().uuid, "");
  EXPECT_EQ(devices->list[0]->fault(), engine::DeviceFault::kNone);
  EXPECT_THAT(warnings_, ElementsAre("gpus.vram_limit: without effect on the CPU backend",
                                     "gpus.points_per_base: without effect on the CPU backend"));
}

// With CUDA and without it, on a machine with devices and on one without.
TEST_F(OpenDevices, SomethingAlwaysProvesAndNoNameIsIgnored) {
  const auto devices = open({});
  ASSERT_TRUE(devices) << devices.error().message;
  ASSERT_FALSE(devices->list.empty());
  EXPECT_EQ(devices->backend, devices->list[0]->info().uuid.empty() ? "cpu" : "cuda");
  for (const std::vector<DeviceName>& names :
       {std::vector<DeviceName>{4242U}, {"GPU-nothing"}, {"cpu", 0U}}) {
    const auto refused = open(names);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("gpus.devices"));
  }
}

}  // namespace
}  // namespace cuzk::devices
