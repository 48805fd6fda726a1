#include "cuzk/cpu/scratch_array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <numeric>

namespace cuzk {
namespace {

TEST(ScratchArray, ZeroAndWritableToItsEnds) {
  for (const std::size_t size : {1UL, 511UL, 100000UL, 131071UL, 131072UL, 131073UL, 5000000UL}) {
    const ScratchArray<std::uint8_t> array(size);
    ASSERT_EQ(array.span().size(), size);
    EXPECT_EQ(std::count(array.span().begin(), array.span().end(), 0), static_cast<std::ptrdiff_t>(size));
    array.span().front() = 1;
    array.span().back() = 2;
    const std::uintptr_t misplaced = reinterpret_cast<std::uintptr_t>(array.span().data()) % (1U << 21);
    EXPECT_TRUE(size < 131072 || misplaced == 0) << size;
  }
  EXPECT_TRUE(ScratchArray<int>(0).span().empty());
  EXPECT_TRUE(ScratchArray<int>().span().empty());
}

TEST(ScratchArray, MovesItsMemory) {
  ScratchArray<std::uint32_t> a(100000);
  std::iota(a.span().begin(), a.span().end(), 0U);
  const std::uint32_t* const data = a.span().data();
  ScratchArray<std::uint32_t> b(std::move(a));
  EXPECT_EQ(b.span().data(), data);
  ScratchArray<std::uint32_t> c(5);
  c = std::move(b);
  EXPECT_EQ(c.span().data(), data);
  EXPECT_EQ(c.span()[99999], 99999U);
  c.reset();
  EXPECT_TRUE(c.span().empty());
}

TEST(ScratchArray, MoreThanThereIsThrows) {
  EXPECT_THROW(ScratchMemory(~std::size_t{0} - 5), std::bad_alloc);
  EXPECT_THROW(ScratchMemory(std::size_t{1} << 62), std::bad_alloc);
}

}  // namespace
}  // namespace cuzk
