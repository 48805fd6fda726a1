#include "cuzk/cuda/prover_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/internal/bit_selection.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/cuda/internal/ntt_plan.h"
#include "cuzk/cuda/internal/row_layout.h"
#include "cuzk/cuda/internal/sum_memory.h"
#include "cuzk/cuda/msm.h"
#include "cuzk/curve/point.h"

namespace cuzk::cuda {
namespace {

/// What Context::allocate takes for a request.
std::uint64_t taken(std::uint64_t bytes) {
  return Context::rounded(bytes);
}

/// The tables that Ntt::create makes; the first recipe is no table.
std::uint64_t table_bytes(unsigned log_size) {
  if (log_size < 3) return 0;
  const NttTableList list{NttDigits(log_size), NttTableList::Use::quotient};
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < list.recipes.size(); ++i) sum += taken(list.recipes[i].bytes());
  return sum;
}
/// What it takes meanwhile.
constexpr std::uint64_t kPowersBytes = sizeof(Fr32) << (kPowerBits + 1);

std::uint64_t terms_bytes(std::uint64_t count, bool wide_ids) {
  return taken(4 * count) + taken(2 * count) + (wide_ids ? taken(2 * count) : 0);
}

std::uint64_t rows_bytes(const KeyCounts& c) {
  return terms_bytes(c.short_terms, c.wide_ids) + terms_bytes(c.long_terms, c.wide_ids) +
         taken(8 * c.row_groups) + taken(4 * c.constraints) + taken(sizeof(LongRun) * c.long_runs) +
         taken(sizeof(Fr) * c.coefficients);
}

/// Of memory that is not asked for where there is nothing to keep.
std::uint64_t taken_if_any(std::uint64_t bytes) {
  return bytes == 0 ? 0 : taken(bytes);
}

std::uint64_t sum_of(const std::vector<ProverPlan::Part>& parts) {
  std::uint64_t sum = 0;
  for (const auto& part : parts) sum += part.bytes;
  return sum;
}

std::string line(const std::string& name, std::uint64_t bytes) {
  std::string text = "  " + name;
  const std::string number = std::to_string(bytes);
  constexpr std::size_t kWidth = 56;
  const std::size_t used = text.size() + number.size();
  return text + std::string(used < kWidth ? kWidth - used : 1, ' ') + number + "\n";
}

/// One query in one group.
struct QueryPart {
  const char* name;
  const KeyCounts::Query& counts;
  std::uint64_t point;  ///< bytes
  const Placement::Bases& bases;

  [[nodiscard]] std::uint64_t streamed_bits() const { return counts.bits - bases.bits; }
  [[nodiscard]] std::uint64_t streamed_wide() const { return bases.wide ? 0 : counts.wide; }
  /// Of `piece` points of G1.
  [[nodiscard]] std::uint64_t points_of(std::uint64_t piece) const {
    return piece / (point / sizeof(G1Affine));
  }
};

/// What a sum over `count` points at a time takes.
std::uint64_t msm_scratch(std::uint64_t count, std::uint64_t point, const Placement& place) {
  if (!place.room_for_sums) return taken(msm_memory_bound(count, point, narrow_windows(count), kLeastSlice));
  return taken(msm_memory_bound(count, point, msm_windows(count), std::max(place.piece, kLeastSlice)));
}

/// Buffers for witnesses that are kept between launches: as many as two workers with two circuits each use at
/// a time, where they are small (two of 0.09 GB for porep-32g), one where they are large (4 GB). Page-locking
/// one anew takes about as long as filling it.
constexpr std::uint64_t kKeptWitnesses = 4;
constexpr std::uint64_t kKeptBytes = std::uint64_t{1} << 28;

/// What a launch leaves on the host, and what a copy of the key takes there: see ProverPlan::launch_host.
std::uint64_t launch_host_bytes(const KeyCounts& c, const Placement& place,
                                std::span<const QueryPart> queries) {
  constexpr std::uint64_t kPointsOfBits = 32;
  const auto sums = [&](std::uint64_t count, std::uint64_t at_a_time) {
    return count == 0 ? 0 : (count - 1) / std::max<std::uint64_t>(1, std::min(at_a_time, count)) + 1;
  };
  const auto of_msm = [&](std::uint64_t count, std::uint64_t piece, std::uint64_t point) {
    if (count == 0) return std::uint64_t{0};
    const std::uint64_t points = std::min(piece, count);
    const MsmWindows windows = place.room_for_sums ? msm_windows(points) : narrow_windows(points);
    return sums(count, piece) * 2 * windows.count * 2 * point;
  };
  // Of a resident key the wide tails of l, a and b in G1 may be summed side by side.
  const std::uint64_t wide = c.l.wide + c.a.wide + c.b.wide;
  const std::uint64_t together =
      place.streamed || wide == 0 ? 0 : 3 * 2 * msm_windows(wide, 1, 3).count * 2 * sizeof(G1Affine);
  std::uint64_t results = of_msm(c.h, place.h ? c.h : place.piece, sizeof(G1Affine)) + together;
  std::uint64_t copied = place.h ? sizeof(G1Affine) * std::min(kLoadedPoints, c.h) : 0;
  std::uint64_t lists = 0;  // places of scalars, or ranks of bits
  std::uint64_t counts = 0;
  for (const QueryPart& q : queries) {
    const std::uint64_t bits_at_a_time =
        place.room_for_sums || !place.streamed ? q.points_of(place.piece) : kBitBlock;
    results += of_msm(q.counts.wide, q.points_of(place.piece), q.point) +
               sums(q.counts.bits, bits_at_a_time) * kPointsOfBits * 2 * q.point;
    copied = std::max(copied, q.point * std::min(kLoadedPoints, q.bases.bits));
    const bool picked = selection_bytes(c.bits, q.counts.bits) != 0;
    lists = std::max({lists, 4 * q.counts.wide, picked ? 4 * SelectionLayout(c.bits).groups : 0});
    counts = std::max(counts, 4 * SelectedLayout(c.bits, q.counts.bits).blocks);
  }
  return std::max(results + counts, 2 * copied + lists + 2 * c.row_piece_bytes);
}

ProverPlan build(const KeyCounts& c, const Placement& place) {
  const std::uint64_t array = taken(sizeof(Fr) << c.domain_log_size);
  ProverPlan plan;
  static_cast<Placement&>(plan) = place;
  const QueryPart queries[] = {{"l", c.l, sizeof(G1Affine), plan.l},
                               {"a", c.a, sizeof(G1Affine), plan.a},
                               {"b_g1", c.b, sizeof(G1Affine), plan.b_g1},
                               {"b_g2", c.b, sizeof(G2Affine), plan.b_g2}};
  const auto on_host = [&](const std::string& name, std::uint64_t bytes) {
    if (bytes != 0) plan.host.push_back({name, bytes});
  };

  const std::uint64_t h_points = taken(place.h ? sizeof(G1Affine) * c.h : 0);
  plan.resident.push_back({"h", h_points});
  const bool multiples = place.h_windows.multiples > 1;
  if (multiples)
    plan.resident.push_back(
        {"multiples of h", taken(place.h_windows.multiples * sizeof(G1Affine) * c.h) - h_points});
  on_host("h", place.h ? 0 : sizeof(G1Affine) * c.h);
  for (const QueryPart& q : queries) {
    const std::string name = q.name;
    const std::uint64_t bit_bases = taken(q.point * q.bases.bits);
    plan.resident.push_back({name + ", bit bases", bit_bases});
    if (q.bases.paired > 1)
      plan.resident.push_back(
          {name + ", sums of pairs", taken(q.point * (q.bases.bits + q.bases.paired / 2)) - bit_bases});
    plan.resident.push_back({name + ", wide bases", taken(q.point * (q.counts.wide - q.streamed_wide()))});
    on_host(name + ", bit bases", q.point * q.streamed_bits());
    on_host(name + ", wide bases", q.point * q.streamed_wide());
  }
  plan.resident.push_back(
      {"places of wide scalars", taken(4 * c.l.wide) + taken(4 * c.a.wide) + taken(4 * c.b.wide)});
  plan.resident.push_back({"places of bits", taken_if_any(selection_bytes(c.bits, c.l.bits)) +
                                                 taken_if_any(selection_bytes(c.bits, c.a.bits)) +
                                                 taken_if_any(selection_bytes(c.bits, c.b.bits))});
  if (place.rows) {
    plan.resident.push_back({"rows", rows_bytes(c)});
  } else {
    plan.resident.push_back({"coefficients of rows", taken(sizeof(Fr) * c.coefficients)});
    on_host("rows", c.row_image_bytes);
  }
  plan.resident.push_back({"tables of transforms", table_bytes(c.domain_log_size)});
  on_host("arrays of the quotient", (3 - place.arrays) * (sizeof(Fr) << c.domain_log_size));

  const std::uint64_t witness = taken(sizeof(Fr) * c.values) + taken((c.bits + 63) / 64 * 8);
  plan.quotient.push_back({"witness", witness});
  plan.quotient.push_back({"values of the rows and their products", place.arrays * array});
  if (!place.rows && c.row_piece_bytes != 0) {
    plan.row_buffers = 2 * taken(c.row_piece_bytes);
    plan.quotient.push_back({"buffers of rows", plan.row_buffers});
  }

  if (!place.streamed) plan.h_sum.push_back({"witness", witness});
  plan.h_sum.push_back({"coefficients of the quotient", array});
  if (!place.h && c.h != 0) {
    const std::uint64_t points = std::min(place.piece, c.h);
    plan.h_sum.push_back({"buffers of h", 2 * taken(sizeof(G1Affine) * points)});
    plan.h_sum.push_back({"scalars of a piece", taken(sizeof(Fr) * points)});
  }
  plan.h_scratch = multiples
                       ? taken(whole_msm_memory_bound(c.h, sizeof(G1Affine), place.h_windows))
                       : msm_scratch(place.h ? c.h : std::min(place.piece, c.h), sizeof(G1Affine), place);
  plan.h_sum.push_back({"scratch", plan.h_scratch});

  // Buffers are the same for all queries.
  std::uint64_t buffer = 0;
  std::uint64_t selected = 0;
  for (const QueryPart& q : queries) {
    const std::uint64_t piece = q.points_of(place.piece);
    buffer = std::max(buffer, q.point * std::min(piece, std::max(q.streamed_bits(), q.streamed_wide())));
    selected = std::max(selected, taken_if_any(SelectedLayout(c.bits, q.counts.bits).bytes()));
    const std::uint64_t bits = std::min(q.counts.bits, place.room_for_sums ? piece : kBitBlock);
    const std::uint64_t wide = std::min(q.counts.wide, piece);
    // Less with sums of pairs.
    plan.sums_scratch =
        std::max({plan.sums_scratch, taken(bit_sum_memory_bound(bits, q.point)),
                  wide == 0 ? 0 : taken(sizeof(Fr) * wide) + msm_scratch(wide, q.point, place)});
  }
  plan.sums.push_back({"witness", witness});
  plan.sums.push_back({"bits of a query", selected});
  if (buffer != 0) {
    plan.sum_buffers = 2 * taken(buffer);
    plan.sums.push_back({"buffers of bases", plan.sum_buffers});
  }
  plan.sums.push_back({"scratch", plan.sums_scratch});

  plan.loading = std::max(place.h ? taken(sizeof(G1Affine) * std::min(kLoadedPoints, c.h)) : 0,
                          c.domain_log_size < 3 ? 0 : taken(kPowersBytes));
  if (multiples) plan.loading = std::max(plan.loading, 2 * taken(sizeof(Fp) * std::min(kDoubledPoints, c.h)));
  for (const QueryPart& q : queries)
    plan.loading = std::max(plan.loading, taken_if_any(pairs_memory_bound(q.bases.paired, q.point)));
  plan.launch_host = launch_host_bytes(c, place, queries);
  plan.witness = WitnessLayout(c.values, c.bits).bytes;
  plan.kept_witnesses = std::clamp<std::uint64_t>(kKeptBytes / plan.witness, 1, kKeptWitnesses);
  return plan;
}

Placement all_resident(const KeyCounts& c) {
  Placement place;
  place.l.bits = c.l.bits;
  place.a.bits = c.a.bits;
  place.b_g1.bits = place.b_g2.bits = c.b.bits;
  return place;
}

/// Adds sums of pairs of bit bases to a placement that fits, where a byte of them saves most additions, in
/// G2, first: of as many bases as there is memory for. `least`: bit bases of a query that gets any.
void pair_bits(const KeyCounts& c, std::uint64_t limit, std::uint64_t least, Placement& place) {
  const auto needed = [&] { return build(c, place).needed_bytes(); };
  const auto pair_up = [&](Placement::Bases& bases, std::uint64_t point) {
    if (bases.bits < least) return;
    const std::uint64_t room = limit - needed();
    bases.paired = bases.bits;
    if (needed() <= limit) return;
    // The most that fit, so that a plan for just what it needs is the same. From above: bases and sums are
    // rounded together.
    bases.paired = std::min(2 * ((room + Context::kGranule) / point), bases.bits) / kBitBlock * kBitBlock;
    while (bases.paired != 0 && needed() > limit) bases.paired -= kBitBlock;
  };
  pair_up(place.b_g2, sizeof(G2Affine));
  pair_up(place.b_g1, sizeof(G1Affine));
  pair_up(place.l, sizeof(G1Affine));
  pair_up(place.a, sizeof(G1Affine));
}

/// Windows for the sum of h that a plan may choose from, with fewer and fewer multiples, up to `most`, and
/// last none chosen, without multiples. With fewer less is saved, so those that save less than `least` end
/// it.
std::vector<MsmWindows> windows_of_h(std::uint64_t count, unsigned most, double least) {
  const double cost = msm_cost(count, msm_windows(count));
  std::vector<MsmWindows> out;
  while (most > 1) {
    const MsmWindows windows = msm_windows(count, most);
    if (windows.multiples == 1 || cost - msm_cost(count, windows) < least * cost) break;
    out.push_back(windows);
    most = windows.multiples - 1;
  }
  out.emplace_back();
  return out;
}

/// `plan`, all resident, with those points more that PlanOptions asks for, fit, and save most additions.
ProverPlan with_more_points(const KeyCounts& c, const ProverPlan& plan, const PlanOptions& o) {
  constexpr double kWorthIt = 0.03;    // of the cost
  constexpr double kAdditionInG2 = 3;  // in those of G1
  const double cost = msm_cost(c.h, msm_windows(c.h));
  const unsigned most = o.multiples == 0 ? kMostMultiples : std::min(o.multiples, kMostMultiples);
  ProverPlan best = plan;
  double most_saved = 0;
  for (const MsmWindows& windows : windows_of_h(c.h, most, o.multiples == 0 ? kWorthIt : -INFINITY)) {
    Placement place = all_resident(c);
    place.h_windows = windows;
    double saved = windows.multiples == 1 ? 0 : cost - msm_cost(c.h, windows);
    if (build(c, place).needed_bytes() > o.limit) continue;
    if (o.pairs) pair_bits(c, o.limit, o.multiples == 0 ? kManyBits : 2, place);
    // Both bits of a pair are set in one of four.
    saved += 0.25 * static_cast<double>(place.l.paired / 2 + place.a.paired / 2 + place.b_g1.paired / 2);
    saved += 0.25 * kAdditionInG2 * static_cast<double>(place.b_g2.paired / 2);
    if (saved <= most_saved) continue;
    most_saved = saved;
    best = build(c, place);
  }
  return best;
}

Placement nothing_resident(unsigned arrays, std::uint64_t piece, bool room_for_sums) {
  Placement place;
  place.streamed = true;
  place.arrays = arrays;
  place.piece = piece;
  place.room_for_sums = room_for_sums;
  place.rows = place.h = false;
  for (Placement::Bases* bases : {&place.l, &place.a, &place.b_g1, &place.b_g2}) bases->wide = false;
  return place;
}

/// What the sum of h should have beside bases and scalars before anything else becomes resident. Every group
/// of windows of a piece costs kSetNanoseconds beside its additions, and has as many entries (a point in a
/// window) as there is memory for; where a byte more saves as much there as kResidentNanoseconds, which is
/// what a byte of resident bases saves, it is enough. Times of an H200 (docs/experiments.md,
/// "Streamed keys", which also says by how much plans made with them missed).
std::uint64_t wanted_scratch(const KeyCounts& c, const Placement& place) {
  constexpr double kEntryBytes = 85;
  constexpr double kSetNanoseconds = 7.3e5;
  constexpr double kResidentNanoseconds = 0.016;
  const std::uint64_t points = place.h ? c.h : std::min(place.piece, c.h);
  if (points == 0) return 0;
  const MsmWindows windows = msm_windows(points);
  const double balanced = std::sqrt(windows.count * static_cast<double>(c.h) * kEntryBytes * kSetNanoseconds /
                                    kResidentNanoseconds);
  const double all_at_once = windows.count * static_cast<double>(points) * kEntryBytes;
  return msm_memory_bound(points, sizeof(G1Affine), windows, kLeastSlice) +
         static_cast<std::uint64_t>(std::min(balanced, all_at_once));
}

/// Makes resident what fits, see ProverPlan.
void fill(const KeyCounts& c, std::uint64_t limit, Placement& place) {
  // What a plan takes when the sum of h has this part of what it should have.
  const auto wanted = [&](const Placement& p, std::uint64_t part) {
    const ProverPlan plan = build(c, p);
    const std::uint64_t h = plan.h_bytes() - plan.h_scratch + wanted_scratch(c, p) / part;
    return std::max(plan.needed_bytes(), plan.resident_bytes() + h);
  };
  const auto fits = [&](const Placement& p) { return wanted(p, 1) <= limit; };
  const auto try_set = [&](bool& flag, std::uint64_t part) {
    flag = true;
    if (wanted(place, part) > limit) flag = false;
  };
  // With fewer arrays rows are read twice a launch, so a resident byte of them saves twice as much.
  try_set(place.rows, place.arrays < 3 ? 2 : 1);
  if (!fits(place)) return;
  for (Placement::Bases* bases : {&place.l, &place.a, &place.b_g1, &place.b_g2}) try_set(bases->wide, 1);
  const auto fill_bits = [&](Placement::Bases& bases, std::uint64_t count, std::uint64_t point) {
    bases.bits = count;
    if (fits(place)) return;
    bases.bits = 0;
    const std::uint64_t room = limit - wanted(place, 1);
    bases.bits = std::min(room / point, count) / kBitBlock * kBitBlock;
    while (bases.bits != 0 && !fits(place)) bases.bits -= kBitBlock;  // once, for the rounding
  };
  fill_bits(place.b_g1, c.b.bits, sizeof(G1Affine));
  fill_bits(place.l, c.l.bits, sizeof(G1Affine));
  fill_bits(place.a, c.a.bits, sizeof(G1Affine));
  fill_bits(place.b_g2, c.b.bits, sizeof(G2Affine));
  try_set(place.h, 1);
}

Error out_of_memory(const ProverPlan& plan, std::uint64_t limit) {
  return io_error("out of memory: " + std::to_string(plan.needed_bytes()) + " bytes needed, " +
                  std::to_string(limit) + " are the limit; " + std::to_string(plan.resident_bytes()) +
                  " of them resident, " + std::to_string(plan.quotient_bytes()) + " in the quotient, " +
                  std::to_string(plan.h_bytes()) + " in the sum of h, " + std::to_string(plan.sums_bytes()) +
                  " in other sums");
}

Result<ProverPlan> plan_streamed(const KeyCounts& c, const PlanOptions& o) {
  const unsigned most_arrays = o.arrays != 0 ? o.arrays : 3;
  const unsigned least_arrays = o.arrays != 0 ? o.arrays : c.domain_log_size < 3 ? 3 : 1;
  const auto fits = [&](const Placement& p) { return build(c, p).needed_bytes() <= o.limit; };
  // Buffers of an eighth of the memory; twice that would save few of the windows' combinations.
  constexpr std::uint64_t kMostPiece = std::uint64_t{1} << 24;
  const std::uint64_t piece =
      o.piece != 0 ? o.piece
                   : std::clamp(std::bit_floor(o.limit / 16 / sizeof(G1Affine) + 1), kLeastPiece, kMostPiece);
  // Arrays first: one less costs two copies of the whole array, whatever pieces are like.
  for (unsigned arrays = most_arrays; arrays >= least_arrays; --arrays) {
    for (const bool room_for_sums : {true, false})
      for (std::uint64_t size = piece; size >= kLeastPiece; size /= 2) {
        Placement place = nothing_resident(arrays, size, room_for_sums);
        if (!fits(place)) {
          if (o.piece != 0) break;
          continue;
        }
        if (o.residency != Residency::streamed) fill(c, o.limit, place);
        return build(c, place);
      }
  }
  const ProverPlan least =
      build(c, nothing_resident(least_arrays, o.piece != 0 ? o.piece : kLeastPiece, false));
  // A small key may take less memory than its pieces' buffers.
  const ProverPlan full = build(c, all_resident(c));
  const bool may_be_resident = o.arrays == 0 && o.piece == 0 && o.residency == Residency::automatic;
  return out_of_memory(may_be_resident && full.needed_bytes() < least.needed_bytes() ? full : least, o.limit);
}

}  // namespace

WitnessLayout::WitnessLayout(std::uint64_t values, std::uint64_t bit_count)
    : bits((values * sizeof(Fr) + 63) / 64 * 64) {
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t end = bits + (bit_count + 63) / 64 * 8;
  bytes = std::max(kPage, (end + kPage - 1) / kPage * kPage);
}

namespace {

KeyCounts counts_of(const Shape& shape, const RowCounts& rows) {
  KeyCounts c;
  c.domain_log_size = shape.domain_log_size();
  c.values = shape.num_inputs() + shape.num_wide();
  c.bits = shape.num_bits();
  c.h = (std::uint64_t{1} << c.domain_log_size) - 1;
  c.l = {shape.num_bits(), shape.num_wide()};
  // Inputs have wide bases.
  const auto query = [&](std::uint64_t inputs, std::span<const std::uint64_t> aux, std::uint64_t count) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < aux.size(); ++i)
      bits += static_cast<unsigned>(std::popcount(aux[i] & shape.aux_is_bit()[i]));
    return KeyCounts::Query{bits, inputs + count - bits};
  };
  c.a = query(shape.num_inputs(), shape.a_aux_density(), shape.a_aux_count());
  c.b = query(shape.b_input_count(), shape.b_aux_density(), shape.b_aux_count());
  c.short_terms = rows.short_terms;
  c.long_terms = rows.long_terms;
  c.long_runs = rows.long_runs;
  c.row_groups = rows.groups;
  c.constraints = rows.constraints;
  c.coefficients = rows.coefficients;
  c.wide_ids = rows.wide_ids;
  for (const RowCounts::Piece& piece : rows.pieces) {
    const std::uint64_t bytes = RowPieceLayout(piece, rows.wide_ids).bytes;
    c.row_piece_bytes = std::max(c.row_piece_bytes, bytes);
    c.row_image_bytes += bytes;
  }
  return c;
}

}  // namespace

KeyCounts key_counts(const Shape& shape) {
  return counts_of(shape, count_rows(shape));
}
KeyCounts key_counts(const Shape& shape, ThreadPool& pool) {
  return counts_of(shape, count_rows(shape, pool));
}

std::uint64_t ProverPlan::resident_bytes() const {
  return sum_of(resident);
}
std::uint64_t ProverPlan::quotient_bytes() const {
  return sum_of(quotient);
}
std::uint64_t ProverPlan::h_bytes() const {
  return sum_of(h_sum);
}
std::uint64_t ProverPlan::sums_bytes() const {
  return sum_of(sums);
}
std::uint64_t ProverPlan::host_bytes() const {
  return sum_of(host);
}
std::uint64_t ProverPlan::needed_bytes() const {
  return resident_bytes() + std::max({quotient_bytes(), h_bytes(), sums_bytes(), loading});
}

std::string ProverPlan::text() const {
  std::string out = streamed ? "streamed, pieces of " + std::to_string(piece) + " points, " +
                                   std::to_string(arrays) + " arrays in the quotient\n"
                             : "resident\n";
  const auto list = [&](const char* title, const std::vector<Part>& parts) {
    out += title;
    for (const Part& part : parts) out += line(part.name, part.bytes);
    out += line("all of it", sum_of(parts));
  };
  list("held, bytes of device memory:\n", resident);
  list("in the quotient, beside it:\n", quotient);
  list("in the sum of h, beside it, at the least:\n", h_sum);
  list("in the other sums, beside it, at the least:\n", sums);
  out += line("while the key is copied", loading);
  out += line("needed", needed_bytes());
  out += line("host memory of a launch, at the most", launch_host);
  out += line("page-locked for witnesses between launches", kept_bytes());
  if (!host.empty()) list("held, bytes of host memory:\n", host);
  return out;
}

ProverPlan plan_prover(const KeyCounts& c) {
  return build(c, all_resident(c));
}

Result<ProverPlan> plan_prover(const KeyCounts& c, const PlanOptions& o) {
  if (o.arrays > 3 || (o.arrays != 0 && o.arrays != 3 && c.domain_log_size < 3))
    return usage_error("a quotient of " + std::to_string(o.arrays) +
                       " arrays: 1 to 3, and 3 of a small domain");
  if (o.piece != 0 && (!std::has_single_bit(o.piece) || o.piece < kLeastPiece))
    return usage_error("pieces of " + std::to_string(o.piece) + " points: a power of two, at least " +
                       std::to_string(kLeastPiece));
  const bool forced = o.arrays != 0 || o.piece != 0 || o.residency == Residency::streamed;
  if (forced && o.residency == Residency::resident)
    return usage_error("a resident key has three arrays in its quotient and no pieces");
  if (forced && (o.multiples > 1 || o.pairs))
    return usage_error("a streamed key has no multiples and no sums of pairs");
  if (!forced) {
    const ProverPlan plan = plan_prover(c);
    if (plan.needed_bytes() <= o.limit) return with_more_points(c, plan, o);
    if (o.residency == Residency::resident) return out_of_memory(plan, o.limit);
  }
  return plan_streamed(c, o);
}

}  // namespace cuzk::cuda
