#include "cuzk/groth16/test_support.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cuzk/base/gzip.h"
#include "cuzk/base/hex.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::groth16::test {
namespace {

using nlohmann::json;

template <class CS>
void synthesize(const RowCircuit& circuit, bool bits, CS& cs) {
  for (std::size_t i = 1; i < circuit.inputs.size(); ++i) (void)cs.alloc_input(circuit.inputs[i]);
  for (const Fr& value : circuit.aux) {
    if (bits && (value.is_zero() || value.is_one()))
      (void)cs.alloc_bit(value.is_one());
    else
      (void)cs.alloc(value);
  }
  const auto fill = [](const std::vector<Term>& terms) {
    return [&terms](LinearCombination& lc) {
      for (const Term& t : terms) lc.add(t.variable, t.coefficient);
    };
  };
  for (const RowCircuit::Row& row : circuit.rows) cs.enforce(fill(row.a), fill(row.b), fill(row.c));
}

json parse(const std::vector<std::uint8_t>& bytes) {
  return json::parse(bytes.begin(), bytes.end());
}

std::vector<Term> terms_of(const json& lc) {
  std::vector<Term> terms;
  for (const json& t : lc) {
    const auto index = t[1].get<std::uint32_t>();
    terms.push_back({t[0] == "A" ? Variable::aux(index) : Variable::input(index), fr_from_hex(t[2])});
  }
  return terms;
}

}  // namespace

std::shared_ptr<const Shape> RowCircuit::shape(bool bits) const {
  ShapeRecorder recorder;
  synthesize(*this, bits, recorder);
  return std::make_shared<const Shape>(std::move(recorder).finish());
}

std::shared_ptr<const Witness> RowCircuit::witness(bool bits) const {
  WitnessBuilder builder;
  synthesize(*this, bits, builder);
  return std::make_shared<const Witness>(std::move(builder).finish());
}

Toy load_toy(const std::string& name) {
  const std::string path = data_path("toy/" + name + ".json.gz");
  const json j = parse(gunzip(read_file(path), std::size_t{1} << 26).value());
  Toy toy;
  for (const json& v : j["circuit"]["inputs_without_one"]) toy.circuit.inputs.push_back(fr_from_hex(v));
  for (const json& v : j["circuit"]["aux"]) toy.circuit.aux.push_back(fr_from_hex(v));
  for (const json& row : j["circuit"]["rows"])
    toy.circuit.rows.push_back({terms_of(row["A"]), terms_of(row["B"]), terms_of(row["C"])});
  const json& t = j["toxic"];
  toy.toxic = {fr_from_hex(t["alpha"]), fr_from_hex(t["beta"]), fr_from_hex(t["gamma"]),
               fr_from_hex(t["delta"]), fr_from_hex(t["tau"])};
  toy.r = fr_from_hex(j["r"]);
  toy.s = fr_from_hex(j["s"]);
  toy.proof = from_hex(j["proof"].get<std::string>()).value();
  toy.params_sha256 = j["params"]["sha256"];
  toy.vk_sha256 = j["params"]["vk_sha256"];
  return toy;
}

RowCircuit xor_demo(bool a, bool b) {
  const auto value = [](bool v) { return v ? Fr::one() : Fr::zero(); };
  const Variable va = Variable::aux(0);
  const Variable vb = Variable::aux(1);
  const Variable vc = Variable::input(1);
  RowCircuit circuit;
  circuit.inputs.push_back(value(a != b));
  circuit.aux = {value(a), value(b)};
  const Fr one = Fr::one();
  circuit.rows = {{{{Variable::one(), one}, {va, -one}}, {{va, one}}, {}},
                  {{{Variable::one(), one}, {vb, -one}}, {{vb, one}}, {}},
                  {{{va, one}, {va, one}}, {{vb, one}}, {{va, one}, {vb, one}, {vc, -one}}}};
  return circuit;
}

RowCircuit product(std::uint64_t a, std::uint64_t b) {
  RowCircuit circuit;
  circuit.inputs.push_back(Fr::from_u64(a * b));
  circuit.aux = {Fr::from_u64(a), Fr::from_u64(b)};
  circuit.rows = {
      {{{Variable::aux(0), Fr::one()}}, {{Variable::aux(1), Fr::one()}}, {{Variable::input(1), Fr::one()}}}};
  return circuit;
}

ToxicWaste golden_secrets() {
  return {Fr::from_u64(48577), Fr::from_u64(22580), Fr::from_u64(53332), Fr::from_u64(5481),
          Fr::from_u64(3673)};
}

std::vector<ReferenceProof> load_reference_proofs() {
  std::vector<ReferenceProof> out;
  for (const json& j : parse(read_file(data_path("reference-proofs.json")))) {
    ReferenceProof p{j["case"], j["params"], from_hex(j["proof"].get<std::string>()).value(), {}, {}};
    for (const json& partition : j["partitions"]) {
      p.public_inputs.emplace_back();
      p.r_s.emplace_back(fr_from_hex(partition["r"]), fr_from_hex(partition["s"]));
      for (const json& v : partition["public_inputs"]) p.public_inputs.back().push_back(fr_from_hex(v));
    }
    out.push_back(std::move(p));
  }
  return out;
}

std::string data_path(const std::string& name) {
  return std::string(CUZK_TEST_DATA) + "/groth16/" + name;
}

std::vector<std::uint8_t> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("no file " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, ByteSpan bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

Fr fr_from_hex(const std::string& hex) {
  return Fr::from_bytes_le(bytes32_from_hex(hex).value()).value();
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "cuzk-groth16-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::filesystem::remove_all(path_);
}

}  // namespace cuzk::groth16::test
