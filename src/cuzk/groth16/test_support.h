#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/groth16/proof.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/r1cs/linear_combination.h"
#include "cuzk/r1cs/shape.h"
#include "cuzk/r1cs/witness.h"

namespace cuzk::groth16::test {

/// A circuit written out: rows over numbered variables, and the values of one witness. `inputs` has ONE
/// first.
struct RowCircuit {
  struct Row {
    std::vector<Term> a, b, c;
  };
  std::vector<Fr> inputs{Fr::one()};
  std::vector<Fr> aux;
  std::vector<Row> rows;

  /// With `bits`, aux variables whose value is 0 or 1 are allocated as booleans.
  [[nodiscard]] std::shared_ptr<const Shape> shape(bool bits) const;
  [[nodiscard]] std::shared_ptr<const Witness> witness(bool bits) const;
  [[nodiscard]] std::vector<Fr> public_inputs() const { return {inputs.begin() + 1, inputs.end()}; }
};

/// One of tests/data/groth16/toy.
struct Toy {
  RowCircuit circuit;
  ToxicWaste toxic;
  Fr r, s;
  std::vector<std::uint8_t> proof;
  std::string params_sha256;
  std::string vk_sha256;
};
Toy load_toy(const std::string& name);

/// The two circuits of groth16-and-formats 10, with values for a and b, and their secrets.
RowCircuit xor_demo(bool a, bool b);
RowCircuit product(std::uint64_t a, std::uint64_t b);
ToxicWaste golden_secrets();

/// One entry of tests/data/groth16/reference-proofs.json.
struct ReferenceProof {
  std::string name;
  std::string params;  ///< tag: tests/data/groth16/params/<tag>.vk
  std::vector<std::uint8_t> bytes;
  std::vector<std::vector<Fr>> public_inputs;  ///< per partition
  std::vector<std::pair<Fr, Fr>> r_s;          ///< per partition
};
std::vector<ReferenceProof> load_reference_proofs();

std::string data_path(const std::string& name);
std::vector<std::uint8_t> read_file(const std::string& path);
void write_file(const std::string& path, ByteSpan bytes);
Fr fr_from_hex(const std::string& hex);

/// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace cuzk::groth16::test
