#include "cuzk/proving/porep.h"

#include <gtest/gtest.h>

#include "cuzk/filecoin/porep/public_inputs.h"
#include "cuzk/proving/circuit.h"

namespace cuzk {
namespace {

TEST(PartitionWitness, HoldsCheckedPublicInputsOrNamesThePartition) {
  porep::C1Output c1 = porep::read_c1_file(CUZK_TEST_DATA "/porep/2k-v1_1.c1.json.gz").value().output;
  const std::shared_ptr<const Shape> shape = record_shape(find_circuit("porep-2k").value());
  const porep::Graph graph(c1.config);

  const auto partition = partition_witness(*shape, c1, graph, 0);
  ASSERT_TRUE(partition) << partition.error().message;
  ThreadPool pool(2);
  ASSERT_TRUE(shape->validate(*partition->witness));
  EXPECT_EQ(shape->first_unsatisfied(pool, *partition->witness), shape->num_constraints());
  EXPECT_EQ(partition->inputs, porep::public_inputs(c1.config, graph, c1.statement(), 0).value());
  EXPECT_EQ(partition->inputs,
            std::vector<Fr>(partition->witness->inputs.begin() + 1, partition->witness->inputs.end()));

  EXPECT_FALSE(partition_witness(*shape, c1, graph, 1));
  c1.vanilla.challenge(0, 1).labeling(0).node ^= 1;
  const auto moved = partition_witness(*shape, c1, graph, 0);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(moved.error().message,
            "partition 0: the vanilla proof's node numbers are not those that the seed and the graph demand");
}

}  // namespace
}  // namespace cuzk
