#include "cuzk/groth16/internal/setup_scalars.h"

#include <string>
#include <utility>

#include "cuzk/groth16/qap.h"

namespace cuzk::groth16 {
namespace {

Result<void> check_secrets(const ToxicWaste& t, unsigned domain_log_size) {
  const std::pair<const char*, const Fr*> secrets[] = {
      {"alpha", &t.alpha}, {"beta", &t.beta}, {"gamma", &t.gamma}, {"delta", &t.delta}, {"tau", &t.tau}};
  for (const auto& [name, value] : secrets)
    if (value->is_zero()) return usage_error(std::string("the secret ") + name + " is zero");
  if (t.tau.pow(std::uint64_t{1} << domain_log_size).is_one())
    return usage_error("the secret tau lies in the evaluation domain of the circuit");
  return {};
}

/// beta a + alpha b + c.
Fr combine(const ToxicWaste& t, const Fr& a, const Fr& b, const Fr& c) {
  return t.beta * a + t.alpha * b + c;
}

/// The non-zero values of one filtered query, inputs first; their number must be what the density says.
Result<std::vector<Fr>> filter(const char* query, const std::vector<Fr>& inputs, const std::vector<Fr>& aux,
                               std::size_t expected) {
  std::vector<Fr> kept;
  kept.reserve(expected);
  for (const std::vector<Fr>* part : {&inputs, &aux})
    for (const Fr& v : *part)
      if (!v.is_zero()) kept.push_back(v);
  if (kept.size() != expected)
    return bad_params(std::string("a column of ") + query +
                      " vanishes at tau though its coefficients do not: choose other secrets");
  return kept;
}

}  // namespace

Result<SetupScalars> SetupScalars::of(ThreadPool& pool, const Shape& shape, const ToxicWaste& toxic) {
  const unsigned log_size = shape.domain_log_size();
  CUZK_TRY(check_secrets(toxic, log_size));
  const std::size_t n_in = shape.num_inputs();
  const std::size_t n_aux = shape.num_aux();
  QapColumns columns;
  {
    const std::vector<Fr> basis = lagrange_basis_at(pool, log_size, toxic.tau);
    columns = qap_columns(pool, shape, basis);
  }
  const auto column_values = [&](const QapColumns::Values& v, std::size_t i) {
    return combine(toxic, v.a[i], v.b[i], v.c[i]);
  };
  const Fr gamma_inverse = toxic.gamma.inverse();
  const Fr delta_inverse = toxic.delta.inverse();
  SetupScalars out;
  out.ic.resize(n_in);
  for (std::size_t i = 0; i < n_in; ++i) {
    out.ic[i] = column_values(columns.inputs, i) * gamma_inverse;
    if (out.ic[i].is_zero())
      return bad_params("the column of input " + std::to_string(i) +
                        " vanishes at tau: choose other secrets");
  }
  // l replaces c, which is not needed otherwise.
  out.l = std::move(columns.aux.c);
  pool.parallel_for(n_aux, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      out.l[i] = combine(toxic, columns.aux.a[i], columns.aux.b[i], out.l[i]) * delta_inverse;
  });
  for (std::size_t i = 0; i < n_aux; ++i)
    if (out.l[i].is_zero())
      return bad_params("unconstrained variable: aux variable " + std::to_string(i) +
                        " occurs in no constraint");
  CUZK_TRY_ASSIGN(out.a, filter("a", columns.inputs.a, columns.aux.a, n_in + shape.a_aux_count()));
  columns.aux.a = {};
  CUZK_TRY_ASSIGN(out.b,
                  filter("b", columns.inputs.b, columns.aux.b, shape.b_input_count() + shape.b_aux_count()));
  return out;
}

}  // namespace cuzk::groth16
