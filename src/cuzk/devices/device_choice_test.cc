#include "cuzk/devices/device_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cuzk::devices {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<cuda::DeviceDescription> kPresent{{0, "GPU-1b2c0000-aaaa", "NVIDIA H200", 141, 9, 0},
                                                    {1, "GPU-1b2d0000-bbbb", "NVIDIA H200", 141, 9, 0},
                                                    {2, "GPU-77770000-cccc", "NVIDIA L40S", 48, 8, 9}};

std::vector<int> ordinals(const std::vector<DeviceName>& names) {
  std::vector<int> out;
  const auto chosen = choose_devices(names, kPresent);
  EXPECT_TRUE(chosen) << chosen.error().message;
  if (chosen)
    for (const auto& device : *chosen) out.push_back(device.ordinal);
  return out;
}
std::string refusal(const std::vector<DeviceName>& names,
                    const std::vector<cuda::DeviceDescription>& present = kPresent) {
  const auto chosen = choose_devices(names, present);
  if (chosen) return "chosen";
  EXPECT_EQ(chosen.error().code, ErrorCode::kUsage);
  return chosen.error().message;
}

TEST(DeviceChoice, ByOrdinalUuidOrAll) {
  EXPECT_THAT(ordinals({}), ElementsAre(0, 1, 2));
  EXPECT_THAT(ordinals({"all"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(ordinals({2U, 0U}), ElementsAre(0, 2));
  EXPECT_THAT(ordinals({"GPU-1B2D0000-BBBB"}), ElementsAre(1));
  EXPECT_THAT(ordinals({"GPU-7", 0U}), ElementsAre(0, 2));
  EXPECT_THAT(ordinals({"1b2c"}), ElementsAre(0));
  // Two names of one device are one device.
  EXPECT_THAT(ordinals({"GPU-77770000-cccc", 2U}), ElementsAre(2));
}

TEST(DeviceChoice, RefusalsSayWhatIsPresent) {
  EXPECT_EQ(refusal({7U}),
            "gpus.devices: no device is called 7; present: 0 (GPU-1b2c0000-aaaa, NVIDIA H200), 1 "
            "(GPU-1b2d0000-bbbb, NVIDIA H200), 2 (GPU-77770000-cccc, NVIDIA L40S)");
  EXPECT_THAT(refusal({"GPU-1b2"}), HasSubstr("several devices are called \"GPU-1b2\""));
  EXPECT_THAT(refusal({"GPU-9999"}), HasSubstr("no device is called \"GPU-9999\""));
  EXPECT_EQ(refusal({"all"}, {}), "gpus.devices: no device is called \"all\"; no CUDA device is present");
  EXPECT_EQ(refusal({}, {}), "chosen");
}

TEST(DeviceChoice, TheProcessorStandsAlone) {
  EXPECT_FALSE(asks_for_cpu({}).value());
  EXPECT_FALSE(asks_for_cpu({0U, "all"}).value());
  EXPECT_TRUE(asks_for_cpu({"cpu"}).value());
  EXPECT_TRUE(asks_for_cpu({"CPU"}).value());
  EXPECT_EQ(asks_for_cpu({"cpu", 0U}).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace cuzk::devices
