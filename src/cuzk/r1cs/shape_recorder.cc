#include "cuzk/r1cs/shape_recorder.h"

#include "cuzk/r1cs/row_store.h"

namespace cuzk {

void ShapeRecorder::push_row() {
  a_.canonicalize();
  b_.canonicalize();
  c_.canonicalize();
  for (const Term& t : a_.terms())
    if (t.variable.is_aux()) shape_.a_aux_.set(t.variable.index());
  for (const Term& t : b_.terms())
    (t.variable.is_aux() ? shape_.b_aux_ : shape_.b_input_).set(t.variable.index());
  shape_.rows_->append(a_.terms(), b_.terms(), c_.terms());
}

Shape ShapeRecorder::finish() && {
  Shape& s = shape_;
  s.rows_->freeze();
  for (Bitmap* b : {&s.aux_is_bit_, &s.a_aux_, &s.b_input_, &s.b_aux_}) b->shrink_to_fit();
  s.rank_bits();
  return std::move(shape_);
}

}  // namespace cuzk
