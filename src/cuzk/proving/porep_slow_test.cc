#include <gtest/gtest.h>

#include "cuzk/filecoin/porep/public_inputs.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/porep.h"

namespace cuzk {
namespace {

class PorepPartition : public testing::Test {
 protected:
  ThreadPool pool_{2};
  porep::C1Output c1_ = porep::read_c1_file(CUZK_TEST_DATA "/porep/2k-v1_1.c1.json.gz").value().output;
  std::shared_ptr<const Shape> shape_ = record_shape(pool_, find_circuit("porep-2k").value());
};

TEST_F(PorepPartition, HoldsCheckedPublicInputsOrNamesThePartition) {
  const auto statement = porep_statement(c1_);
  const auto partition = statement->synthesize(pool_, *shape_, 0, {});
  ASSERT_TRUE(partition) << partition.error().message;
  ASSERT_TRUE(shape_->validate(*partition->witness));
  EXPECT_EQ(shape_->first_unsatisfied(pool_, *partition->witness), shape_->num_constraints());
  EXPECT_EQ(partition->inputs, statement->public_inputs(0).value());
  EXPECT_EQ(partition->inputs,
            porep::public_inputs(c1_.config, porep::Graph(c1_.config), c1_.statement(), 0).value());
  EXPECT_EQ(partition->inputs,
            std::vector<Fr>(partition->witness->inputs.begin() + 1, partition->witness->inputs.end()));
  EXPECT_FALSE(statement->synthesize(pool_, *shape_, 1, {}));

  c1_.vanilla.challenge(0, 1).labeling(0).node ^= 1;
  const auto moved = porep_statement(c1_)->synthesize(pool_, *shape_, 0, {});
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(moved.error().message,
            "partition 0: the vanilla proof's node numbers are not those that the seed and the graph demand");
}

TEST_F(PorepPartition, AStopLeavesTheCircuit) {
  const auto statement = porep_statement(c1_);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = statement->synthesize(pool_, *shape_, 0, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kStopped);
  EXPECT_EQ(stopped.error().message, "partition 0: stopped on request");
}

}  // namespace
}  // namespace cuzk
