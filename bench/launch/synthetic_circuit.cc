#include "synthetic_circuit.h"

#include <algorithm>

#include "cuzk/base/random.h"
#include "cuzk/r1cs/shape_join.h"
#include "cuzk/r1cs/shape_recorder.h"

namespace cuzk::bench {
namespace {

// Of the 2^27 circuit.
constexpr std::uint64_t kRows = 130'278'869;
constexpr std::uint64_t kAux = 130'169'893;
constexpr unsigned kLogSize = 27;

constexpr std::uint32_t kInputs = 327;     // without ONE
constexpr std::size_t kBlockAux = 26'003;  // 401 words of bits and 339 wide variables
constexpr std::size_t kGroupAux = 230;     // variables for each product, two sums and their bits
constexpr std::size_t kSumBits = 117;      // of a wide sum
constexpr std::size_t kUnusedTail = 110;   // the last bits: those that are not free occur in no A
constexpr std::size_t kLeastRest = 1000;
constexpr std::size_t kTemplates = 4;

/// A quarter of the bits are free, 32 at a time: 96 of every 379.
bool is_free(std::size_t bit) {
  const std::size_t place = bit % 379;
  return place < 3 * 126 && place % 126 < 32;
}

std::uint64_t mixed(std::uint64_t seed, std::uint64_t salt) {
  return TestRandom(seed * 0x9e3779b97f4a7c15ULL ^ salt).next();
}

}  // namespace

/// A run of variables with their rows; refers to nothing outside but the inputs.
class SyntheticCircuit::Piece {
 public:
  Piece(std::size_t aux, std::size_t check_rows, std::uint64_t seed) {
    TestRandom random(seed);
    const std::size_t groups = aux / kGroupAux;
    bits_ = aux - 3 * groups;
    const std::size_t used = bits_ > 2 * kUnusedTail ? bits_ - kUnusedTail : bits_;
    std::vector<std::uint32_t> free;
    std::size_t sums = 0;
    for (std::size_t bit = 0; bit < bits_; ++bit) {
      if (is_free(bit)) {
        free.push_back(static_cast<std::uint32_t>(bit));
        steps_.push_back({Kind::free, 0, 0, 0});
      } else {
        const auto any = [&] { return static_cast<std::uint32_t>(random.next() % std::min(bit, used)); };
        Step step{random.next() % 2 == 0 ? Kind::exclusive_or : Kind::choice, any(),
                  free[random.next() % free.size()], any()};
        while (step.x == step.y) step.x = any();
        while (step.z == step.x || step.z == step.y) step.z = any();
        steps_.push_back(step);
      }
      if (sums == 2 * groups || bit + 1 != (sums + 1) * bits_ / (2 * groups)) continue;
      const std::size_t end = std::min(bit + 1, used);
      const std::size_t length = std::min(kSumBits, end);
      const auto input = static_cast<std::uint32_t>(1 + random.next() % kInputs);
      steps_.push_back(
          {Kind::sum, static_cast<std::uint32_t>(end - length), static_cast<std::uint32_t>(length), input});
      if (++sums % 2 == 0)
        steps_.push_back({Kind::product, static_cast<std::uint32_t>(1 + random.next() % 1000), 0, 0});
    }
    wide_ = 3 * groups;
    for (std::size_t i = 0; i < check_rows; ++i) checks_.push_back(free[random.next() % free.size()]);
  }

  [[nodiscard]] std::size_t bits() const { return bits_; }
  [[nodiscard]] std::size_t wide() const { return wide_; }
  [[nodiscard]] std::size_t words() const { return (bits_ + 63) / 64; }

  [[nodiscard]] Shape shape() const {
    ShapeRecorder cs;
    for (std::uint32_t i = 0; i < kInputs; ++i) (void)cs.alloc_input(Fr::zero());
    std::vector<Variable> bits;
    std::vector<Variable> wide;
    using Lc = LinearCombination;
    const Variable one = Variable::one();
    const auto boolean = [&](Variable v) {
      cs.enforce([&](Lc& lc) { lc.add(one).sub(v); }, [&](Lc& lc) { lc.add(v); }, [](Lc&) {});
    };
    for (const Step& step : steps_) {
      switch (step.kind) {
        case Kind::free:
          bits.push_back(cs.alloc_bit(false));
          boolean(bits.back());
          break;
        case Kind::exclusive_or: {
          const Variable x = bits[step.x], y = bits[step.y], v = cs.alloc_bit(false);
          cs.enforce([&](Lc& lc) { lc.add(x, Fr::from_u64(2)); }, [&](Lc& lc) { lc.add(y); },
                     [&](Lc& lc) { lc.add(x).add(y).sub(v); });
          bits.push_back(v);
          break;
        }
        case Kind::choice: {
          const Variable x = bits[step.x], y = bits[step.y], z = bits[step.z], v = cs.alloc_bit(false);
          cs.enforce([&](Lc& lc) { lc.add(x).sub(z); }, [&](Lc& lc) { lc.add(y); },
                     [&](Lc& lc) { lc.add(v).sub(z); });
          bits.push_back(v);
          break;
        }
        case Kind::sum: {
          const Variable v = cs.alloc(Fr::zero());
          cs.enforce(
              [&](Lc& lc) {
                lc.add(Variable::input(step.z));
                Fr power = Fr::one();
                for (std::uint32_t i = 0; i < step.y; ++i, power = power.dbl())
                  lc.add(bits[step.x + i], power);
              },
              [&](Lc& lc) { lc.add(one); }, [&](Lc& lc) { lc.add(v); });
          wide.push_back(v);
          break;
        }
        case Kind::product: {
          const Variable v = cs.alloc(Fr::zero());
          const std::size_t n = wide.size();
          cs.enforce(
              [&](Lc& lc) {
                lc.add(one, Fr::from_u64(step.x)).add(wide[n - 2]).add(wide[n - 1]);
                if (n > 2) lc.add(wide[n - 3]);
              },
              [&](Lc& lc) { lc.add(wide[n - 2]); }, [&](Lc& lc) { lc.add(v); });
          wide.push_back(v);
          break;
        }
      }
    }
    for (const std::uint32_t bit : checks_) boolean(bits[bit]);
    return std::move(cs).finish();
  }

  /// Values of the variables to `words` and `wide`, as they lie in a witness.
  void fill(std::uint64_t seed, const std::vector<Fr>& inputs, std::uint64_t* words, Fr* wide) const {
    TestRandom random(seed);
    std::vector<std::uint8_t> bits;
    bits.reserve(bits_);
    std::size_t n = 0;  // wide values so far
    std::uint64_t pool = 0;
    unsigned left = 0;
    for (const Step& step : steps_) {
      switch (step.kind) {
        case Kind::free:
          if (left == 0) {
            pool = random.next();
            left = 64;
          }
          bits.push_back(static_cast<std::uint8_t>(pool & 1));
          pool >>= 1;
          --left;
          break;
        case Kind::exclusive_or:
          bits.push_back(bits[step.x] ^ bits[step.y]);
          break;
        case Kind::choice:
          bits.push_back(bits[step.y] != 0 ? bits[step.x] : bits[step.z]);
          break;
        case Kind::sum: {
          FrInt value{};
          for (std::uint32_t i = 0; i < step.y; ++i)
            value.limb[i / 64] |= std::uint64_t{bits[step.x + i]} << (i % 64);
          wide[n++] = Fr::from_int(value) + inputs[step.z - 1];
          break;
        }
        case Kind::product: {
          Fr a = Fr::from_u64(step.x) + wide[n - 2] + wide[n - 1];
          if (n > 2) a += wide[n - 3];
          const Fr b = wide[n - 2];
          wide[n++] = a * b;
          break;
        }
      }
    }
    for (std::size_t word = 0; word < this->words(); ++word) {
      std::uint64_t value = 0;
      for (std::size_t i = 0; i < 64 && 64 * word + i < bits_; ++i)
        value |= std::uint64_t{bits[64 * word + i]} << i;
      words[word] = value;
    }
  }

 private:
  enum class Kind : std::uint8_t { free, exclusive_or, choice, sum, product };
  /// Places among the piece's bits; a sum has its first bit, its length and the input; a product a constant.
  struct Step {
    Kind kind;
    std::uint32_t x, y, z;
  };
  std::vector<Step> steps_;
  std::vector<std::uint32_t> checks_;  // free bits that have a second boolean row
  std::size_t bits_ = 0;
  std::size_t wide_ = 0;
};

SyntheticCircuit::SyntheticCircuit(unsigned log_size) {
  CUZK_CHECK(log_size >= kMinLogSize && log_size <= 28);
  const auto scaled = [&](std::uint64_t n) {
    return log_size > kLogSize ? 2 * n : n >> (kLogSize - log_size);
  };
  const std::uint64_t constraints = scaled(kRows) - kInputs - 1;
  const std::uint64_t aux = std::min(scaled(kAux), constraints);
  block_count_ = aux < kLeastRest + kBlockAux ? 0 : (aux - kLeastRest) / kBlockAux;
  const std::uint64_t checks = (constraints - aux) / (block_count_ + 1);
  for (std::size_t i = 0; i < std::min(kTemplates, block_count_); ++i)
    blocks_.push_back(std::make_unique<const Piece>(kBlockAux, checks, 100 + i));
  rest_ = std::make_unique<const Piece>(aux - block_count_ * kBlockAux,
                                        constraints - aux - block_count_ * checks, 99);
}

SyntheticCircuit::~SyntheticCircuit() = default;

std::shared_ptr<const Shape> SyntheticCircuit::shape(ThreadPool& pool) const {
  std::vector<Shape> shapes;
  for (const auto& block : blocks_) shapes.push_back(block->shape());
  const Shape rest = rest_->shape();
  std::vector<const Shape*> pieces;
  for (std::size_t i = 0; i < block_count_; ++i) pieces.push_back(&shapes[i % shapes.size()]);
  pieces.push_back(&rest);
  return std::make_shared<const Shape>(join_shapes(pool, pieces).value());
}

std::vector<Fr> SyntheticCircuit::inputs(std::uint64_t seed) const {
  TestRandom random(mixed(seed, 0x1234));
  std::vector<Fr> inputs;
  for (std::uint32_t i = 0; i < kInputs; ++i) inputs.push_back(fr_from_words([&] { return random.next(); }));
  return inputs;
}

Witness SyntheticCircuit::witness(ThreadPool& pool, std::uint64_t seed) const {
  const std::size_t words = blocks_.empty() ? 0 : blocks_[0]->words();
  const std::size_t wide = blocks_.empty() ? 0 : blocks_[0]->wide();
  CUZK_CHECK(blocks_.empty() || blocks_[0]->bits() % 64 == 0);
  const std::vector<Fr> values = inputs(seed);
  Witness out;
  out.inputs.push_back(Fr::one());
  out.inputs.insert(out.inputs.end(), values.begin(), values.end());
  out.bits.resize(block_count_ * words + rest_->words());
  out.wide.resize(block_count_ * wide + rest_->wide());
  pool.parallel_for(block_count_ + 1, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Piece& piece = i < block_count_ ? *blocks_[i % blocks_.size()] : *rest_;
      piece.fill(mixed(seed, i), values, out.bits.data() + i * words, out.wide.data() + i * wide);
    }
  });
  return out;
}

}  // namespace cuzk::bench
