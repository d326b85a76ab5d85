// The one file that knows Python: check the arrays, release the GIL, call a header.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "conjugate.hpp"
#include "elimination.hpp"
#include "information.hpp"
#include "pack.hpp"
#include "pack_sparse.hpp"
#include "parallel.hpp"
#include "passes.hpp"
#include "shard.hpp"
#include "support_elimination.hpp"
#include "weighting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

// ---- parallel.hpp: what every kernel's loop over blocks passes to its Team ----

// True when Ctrl-C was pressed. Call it with the GIL released.
static bool interrupted() {
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

// `Interrupted` leaves a kernel as the KeyboardInterrupt that PyErr_CheckSignals has already set.
static void register_interrupt() {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const handful::Interrupted&) {
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

// An array for Python that takes over a vector.
template <class Value>
static nb::ndarray<nb::numpy, Value, nb::ndim<1>> as_array(std::vector<Value>&& values) {
  auto* owned = new std::vector<Value>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return nb::ndarray<nb::numpy, Value, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

// ---- pack.hpp ----

using handful::Planes;
using Rows32 = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using CTable = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Stored = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Weights = std::optional<Numbers>;

static const double* data_of(const Weights& weights, std::size_t n_rows) {
  if (!weights) return nullptr;
  if (weights->size() != n_rows) throw nb::value_error("one weight per row");
  return weights->data();
}

static handful::Layout layout_of(const Rows32& rows, const std::vector<std::size_t>& ends,
                                 const Weights& weights, std::size_t n_rows) {
  if (ends.empty() || ends.back() != rows.size()) throw nb::value_error("ends do not fit the rows");
  std::size_t before = 0;
  for (std::size_t end : ends) {
    if (end <= before) throw nb::value_error("every class needs a row");
    before = end;
  }
  for (std::size_t p = 0; p < rows.size(); ++p)
    if (rows.data()[p] < 0 || std::size_t(rows.data()[p]) >= n_rows)
      throw nb::value_error("a row is out of range");
  return {rows.data(), ends, data_of(weights, rows.size())};
}

static handful::Cutting cutting_of(std::size_t bins, std::size_t max_distinct) {
  if (bins < 2 || bins > handful::kMaxLevels || max_distinct > handful::kMaxLevels)
    throw nb::value_error("a column has 2 to 255 levels");
  return {bins, max_distinct};
}

// Calls `work` with a null pointer of the array's type.
template <class Work>
static auto with_type(nb::dlpack::dtype type, Work&& work) {
  if (type == nb::dtype<bool>()) return work(static_cast<const std::uint8_t*>(nullptr));
  if (type == nb::dtype<std::int8_t>()) return work(static_cast<const std::int8_t*>(nullptr));
  if (type == nb::dtype<std::uint8_t>()) return work(static_cast<const std::uint8_t*>(nullptr));
  if (type == nb::dtype<std::int16_t>()) return work(static_cast<const std::int16_t*>(nullptr));
  if (type == nb::dtype<std::uint16_t>()) return work(static_cast<const std::uint16_t*>(nullptr));
  if (type == nb::dtype<std::int32_t>()) return work(static_cast<const std::int32_t*>(nullptr));
  if (type == nb::dtype<std::uint32_t>()) return work(static_cast<const std::uint32_t*>(nullptr));
  if (type == nb::dtype<std::int64_t>()) return work(static_cast<const std::int64_t*>(nullptr));
  if (type == nb::dtype<std::uint64_t>()) return work(static_cast<const std::uint64_t*>(nullptr));
  if (type == nb::dtype<float>()) return work(static_cast<const float*>(nullptr));
  if (type == nb::dtype<double>()) return work(static_cast<const double*>(nullptr));
  throw nb::type_error("bool, integers of 8 to 64 bits, float32 or float64");
}

static Planes pack_dense(const Table& table, const Rows32& rows, const std::vector<std::size_t>& ends,
                         const Weights& weights, std::size_t bins, std::size_t max_distinct,
                         int threads) {
  const auto layout = layout_of(rows, ends, weights, table.shape(0));
  const auto cutting = cutting_of(bins, max_distinct);
  const auto type = table.dtype();
  return with_type(type, [&](const auto* null) {
    using Value = std::remove_cvref_t<decltype(*null)>;
    const handful::Strided<Value> dense{static_cast<const Value*>(table.data()), table.shape(1),
                                        table.stride(0), table.stride(1)};
    nb::gil_scoped_release release;
    handful::Team team(threads, interrupted);
    if constexpr (std::is_same_v<Value, std::uint8_t>)
      if (type == nb::dtype<bool>()) return handful::pack_boolean(dense, layout, team);
    return handful::pack_values(dense, layout, cutting, team);
  });
}

// `data`, `indices` and `indptr` of a CSC table without stored zeros and duplicates.
static Planes pack_sparse(const Stored& data, const Stored& indices, const Stored& indptr,
                          const handful::Layout& layout, const handful::Cutting& cutting,
                          int threads) {
  const bool narrow = indices.dtype() == nb::dtype<std::int32_t>();
  if (indices.dtype() != indptr.dtype() || !(narrow || indices.dtype() == nb::dtype<std::int64_t>()))
    throw nb::type_error("indices and indptr are both int32 or both int64");
  return with_type(data.dtype(), [&](const auto* null) {
    using Value = std::remove_cvref_t<decltype(*null)>;
    const auto pack = [&](const auto* index) {
      using Index = std::remove_cvref_t<decltype(*index)>;
      const handful::Sparse<Value, Index> sparse{
          static_cast<const Value*>(data.data()), static_cast<const Index*>(indices.data()),
          static_cast<const Index*>(indptr.data()), indptr.size() - 1};
      nb::gil_scoped_release release;
      handful::Team team(threads, interrupted);
      return handful::pack_sparse(sparse, layout, cutting, team);
    };
    if (narrow) return pack(static_cast<const std::int32_t*>(nullptr));
    return pack(static_cast<const std::int64_t*>(nullptr));
  });
}

using Bits = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// What a pickle keeps of planes: the classes, how many planes each column has, and their words.
using State = std::tuple<std::vector<std::size_t>, Bytes, Bits>;

static nb::tuple state_of(const Planes& planes) {
  std::vector<handful::Word> words;
  std::vector<std::uint8_t> n_planes;
  for (std::size_t j = 0; j < planes.size(); ++j) {
    const handful::Word* begin = planes.columns[j].planes;
    words.insert(words.end(), begin, begin + planes.words_of(j));
    n_planes.push_back(std::uint8_t(planes.columns[j].n_planes));
  }
  return nb::make_tuple(planes.ends, as_array(std::move(n_planes)), as_array(std::move(words)));
}

static Planes from_state(const std::vector<std::size_t>& ends, const Bytes& n_planes, const Bits& words) {
  if (ends.empty()) throw nb::value_error("no classes");
  handful::Block block{{words.data(), words.data() + words.size()},
                       {n_planes.data(), n_planes.data() + n_planes.size()}};
  std::size_t needed = 0;
  for (std::uint8_t planes : block.planes) needed += Planes::words_of(planes, ends.back());
  if (needed != words.size()) throw nb::value_error("the words do not fit the columns");
  std::vector<handful::Block> blocks;
  blocks.push_back(std::move(block));
  return handful::assemble(ends, std::move(blocks));
}

static void bind_planes(nb::module_& m) {
  nb::class_<Planes>(m, "Planes", "Columns as planes of bits, rows sorted by class.")
      .def("__len__", &Planes::size, "How many columns.")
      .def_prop_ro("nbytes", &Planes::bytes, "Memory taken, shared blocks included.")
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Planes& planes, const State& state) {
        new (&planes) Planes(std::apply(from_state, state));
      })
      .def(
          "n_levels",
          [](const Planes& planes, std::size_t j) {
            if (j >= planes.size()) throw nb::index_error("no such column");
            return planes.levels(j);
          },
          "j"_a)
      .def(
          "levels",
          [](const Planes& planes, std::size_t j) {
            if (j >= planes.size()) throw nb::index_error("no such column");
            std::vector<std::uint8_t> level(planes.ends.back());
            planes.levels_of(j, level.data());
            return as_array(std::move(level));
          },
          "j"_a, "The level of column j at each position; which level has which number is free.");
  m.def(
      "join",
      [](const std::vector<const Planes*>& parts) {
        if (parts.empty()) throw nb::value_error("nothing to join");
        for (const Planes* part : parts)
          if (part->ends != parts.front()->ends) throw nb::value_error("the rows are not the same");
        return handful::join(parts);
      },
      "parts"_a, "Tables with the same rows side by side.");
  m.def("pack_dense", &pack_dense, "table"_a.noconvert(), "rows"_a.noconvert(), "ends"_a,
        "weights"_a.noconvert().none(), "bins"_a, "max_distinct"_a, "threads"_a, "A dense table as planes; rows[p] stands at position p.");
  m.def(
      "pack_sparse",
      [](const Stored& data, const Stored& indices, const Stored& indptr, const Rows32& rows,
         const std::vector<std::size_t>& ends, const Weights& weights, std::size_t bins,
         std::size_t max_distinct, int threads) {
        return pack_sparse(data, indices, indptr, layout_of(rows, ends, weights, rows.size()),
                           cutting_of(bins, max_distinct), threads);
      },
      "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "rows"_a.noconvert(),
      "ends"_a, "weights"_a.noconvert().none(), "bins"_a, "max_distinct"_a, "threads"_a,
      "A CSC table as planes; zeros and duplicates must not be stored.");
}

// ---- information.hpp ----

static handful::Criterion criterion_of(const std::string& name) {
  for (std::size_t i = 0; i < std::size(handful::kCriteria); ++i)
    if (name == handful::kCriteria[i]) return handful::Criterion(i);
  throw nb::value_error("unknown criterion");
}

static nb::tuple rank_by_information(const Planes& planes, const std::string& criterion, std::size_t n,
                                     std::size_t n_probes, const Weights& weights, int threads) {
  const handful::Wish wish{criterion_of(criterion), n, n_probes};
  const double* weight = data_of(weights, planes.ends.back());
  handful::Choice choice;
  {
    nb::gil_scoped_release release;
    handful::Team team(threads, interrupted);
    choice = handful::choose(planes, weight, wish, team);
  }
  return nb::make_tuple(as_array(std::move(choice.columns)), as_array(std::move(choice.scores)),
                        choice.evaluations, choice.informative);
}

static void bind_information(nb::module_& m) {
  nb::list criteria;
  for (const char* name : handful::kCriteria) criteria.append(name);
  m.attr("criteria") = nb::tuple(criteria);
  m.def("rank_by_information", &rank_by_information, "planes"_a, "criterion"_a, "n"_a, "n_probes"_a,
        "weights"_a.noconvert().none(), "threads"_a,
        "Columns, scores, how often a column was counted beside a chosen one, and how many of the "
        "columns were informative. Weights are by position.");
}

// ---- shard.hpp ----

using handful::ChosenColumn;
using handful::Shard;
using Floats = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ages = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static std::size_t place_in(const Planes& planes, std::int64_t j) {
  if (j < 0 || std::size_t(j) >= planes.size()) throw nb::index_error("no such column");
  return std::size_t(j);
}

static nb::tuple freshen(Shard& shard, const std::string& criterion, const Indices& columns,
                         const Floats& bounds, const Ages& ages,
                         const std::vector<const ChosenColumn*>& chosen, double floor) {
  if (bounds.size() != columns.size() || ages.size() != columns.size())
    throw nb::value_error("one bound and one age per column");
  handful::Bounds stale{{}, {bounds.data(), bounds.data() + bounds.size()},
                        {ages.data(), ages.data() + ages.size()}};
  for (std::size_t i = 0; i < columns.size(); ++i)
    stale.column.push_back(place_in(shard.table(), columns.data()[i]));
  const handful::Criterion by = criterion_of(criterion);
  std::uint64_t evaluations = 0;
  {
    nb::gil_scoped_release release;
    evaluations = shard.with([&](auto& of) { return of.freshen(by, chosen, floor, stale); });
  }
  return nb::make_tuple(as_array(std::move(stale.bound)), as_array(std::move(stale.age)), evaluations);
}

static auto combined(const std::string& criterion, const Floats& relevance, const Floats& sums,
                     std::size_t n_chosen) {
  if (sums.size() != relevance.size()) throw nb::value_error("one sum per column");
  const handful::Criterion by = criterion_of(criterion);
  std::vector<double> scores(relevance.size());
  for (std::size_t j = 0; j < scores.size(); ++j)
    scores[j] = handful::combined(by, relevance.data()[j], sums.data()[j], n_chosen);
  return as_array(std::move(scores));
}

static void bind_shard(nb::module_& m) {
  m.def("combined", &combined, "criterion"_a, "relevance"_a.noconvert(), "sums"_a.noconvert(),
        "n_chosen"_a, "Scores from I(Y; X) of each column and the sum of its terms.");
  nb::class_<ChosenColumn>(m, "ChosenColumn", "A column of a shard, to be counted beside others.")
      .def("__getstate__", [](const ChosenColumn& chosen) {
        const handful::Single& sums = chosen.single;
        return std::tuple(chosen.column, sums.own, sums.with_class, chosen.is_weighted());
      })
      .def("__setstate__", [](ChosenColumn& chosen, const std::tuple<Planes, double, double, bool>& state) {
        const auto& [column, own, with_class, weighted] = state;
        new (&chosen) ChosenColumn(column, {own, with_class}, weighted);
      });
  nb::class_<Shard>(m, "Shard", "Columns that answer the driver of a distributed choice.")
      .def("__init__", [](Shard* place, const Planes& planes, const Weights& weights) {
        const double* weight = data_of(weights, planes.ends.back());
        nb::gil_scoped_release release;
        new (place) Shard(planes, weight);
      }, "planes"_a, "weights"_a.noconvert().none())
      .def("relevances", [](Shard& shard) {
        return as_array(shard.with([](auto& of) { return of.relevances(); }));
      }, "I(Y; A) of each column, minus infinity where it is constant.")
      .def("chosen", [](Shard& shard, std::int64_t j) {
        return shard.chosen(place_in(shard.table(), j));
      }, "j"_a)
      .def("terms", [](Shard& shard, const std::string& criterion, const ChosenColumn& chosen) {
        const handful::Criterion by = criterion_of(criterion);
        std::vector<double> found;
        {
          nb::gil_scoped_release release;
          found = shard.with([&](auto& of) { return of.terms(by, chosen); });
        }
        return as_array(std::move(found));
      }, "criterion"_a, "chosen"_a, "The term of every column beside the chosen one.")
      .def("freshen", &freshen, "criterion"_a, "columns"_a.noconvert(), "bounds"_a.noconvert(),
           "ages"_a.noconvert(), "chosen"_a, "floor"_a,
           "Bounds, ages and how often a column was counted, once the bounds that matter are up to date.");
}

// ---- elimination.hpp ----

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static handful::Vectors vectors_of(const Matrix& matrix) {
  return {matrix.data(), matrix.shape(0), matrix.shape(1)};
}

static nb::tuple as_tuple(handful::Eliminated&& gone) {
  return nb::make_tuple(as_array(std::move(gone.columns)), as_array(std::move(gone.scores)));
}

static nb::tuple eliminate_dual(const Matrix& columns, const Matrix& targets, const Matrix& inverse,
                                double alpha, const Marks& kept, int threads) {
  const std::size_t n = columns.shape(1);
  if (targets.shape(1) != n || inverse.shape(0) != n || inverse.shape(1) != n)
    throw nb::value_error("columns, targets and inverse have the same rows");
  if (kept.size() != columns.shape(0)) throw nb::value_error("one mark per column");
  handful::Eliminated gone;
  {
    nb::gil_scoped_release release;
    handful::Team team(threads, interrupted);
    handful::DualRidge ridge(vectors_of(columns), vectors_of(targets), vectors_of(inverse), alpha,
                             kept.data());
    gone = ridge.run(team);
  }
  return as_tuple(std::move(gone));
}

static nb::tuple eliminate_primal(const Matrix& columns, const Matrix& targets, const Matrix& factor,
                                  const Matrix& rotated, double alpha, const Marks& kept) {
  const std::size_t n = columns.shape(0);
  if (targets.shape(1) != columns.shape(1) || factor.shape(0) != n || factor.shape(1) != n ||
      rotated.shape(0) != n || rotated.shape(1) != targets.shape(0))
    throw nb::value_error("columns, targets, factor and rotated targets do not fit");
  if (kept.size() != n) throw nb::value_error("one mark per column");
  handful::Eliminated gone;
  {
    nb::gil_scoped_release release;
    handful::Team team(1, interrupted);
    handful::PrimalRidge ridge(vectors_of(columns), vectors_of(targets), vectors_of(factor),
                               vectors_of(rotated), alpha, kept.data());
    gone = ridge.run(team);
  }
  return as_tuple(std::move(gone));
}

static void bind_elimination(nb::module_& m) {
  m.def("eliminate_dual", &eliminate_dual, "columns"_a.noconvert(), "targets"_a.noconvert(),
        "inverse"_a.noconvert(), "alpha"_a, "kept"_a.noconvert(), "threads"_a,
        "Columns (one per row) in the order in which ridge regression gives them up, with scores, "
        "as far as the inverse serves.");
  m.def("eliminate_primal", &eliminate_primal, "columns"_a.noconvert(), "targets"_a.noconvert(),
        "factor"_a.noconvert(), "rotated"_a.noconvert(), "alpha"_a, "kept"_a.noconvert(),
        "The same from a triangular factor, until only kept columns are left.");
}

// ---- conjugate.hpp ----

using Integers64 = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Guess = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A sparse table by column with its means and the roots of its rows' weights, all of it kept alive.
struct SparseColumns {
  Integers64 starts;
  Rows32 rows;
  Numbers values, means, root;

  SparseColumns(Integers64 starts, Rows32 rows, Numbers values, Numbers means, Numbers root)
      : starts(starts), rows(rows), values(values), means(means), root(root) {
    const std::size_t n = means.size();
    if (starts.size() != n + 1 || rows.size() != values.size() || starts.data()[0] != 0 ||
        starts.data()[n] != std::int64_t(rows.size()) ||
        !std::is_sorted(starts.data(), starts.data() + n + 1))
      throw nb::value_error("starts, rows, values and means do not fit");
    const std::int32_t n_rows = std::int32_t(root.size());
    if (!std::all_of(rows.data(), rows.data() + rows.size(),
                     [=](std::int32_t row) { return row >= 0 && row < n_rows; }))
      throw nb::value_error("a row is out of range");
  }
  handful::SparseTable table() const {
    return {starts.data(), rows.data(), values.data(), means.size(), root.size(),
            means.data(),  root.data()};
  }
};

static std::size_t conjugate_ridge(const SparseColumns& columns, double alpha, const Matrix& sums,
                                   const Places& left, const Guess& weights, double tolerance,
                                   std::size_t steps, int threads) {
  const std::size_t n_columns = columns.means.size(), n = left.shape(0), n_left = left.shape(1);
  if (sums.shape(0) != n_columns || sums.shape(1) != n || weights.shape(0) != n ||
      weights.shape(1) != n_left)
    throw nb::value_error("sums, columns and weights do not fit");
  for (std::size_t i = 0; i < n * n_left; ++i) {
    const std::int64_t place = left.data()[i];
    const bool rising = i % n_left == 0 || left.data()[i - 1] < place;
    if (place < 0 || place >= std::int64_t(n_columns) || !rising)
      throw nb::value_error("columns must rise and be in range");
  }
  nb::gil_scoped_release release;
  handful::Team team(threads, interrupted);
  return handful::conjugate_ridge(columns.table(), alpha, {tolerance, steps},
                                  {n, n_left, left.data(), weights.data(), sums.data()}, team);
}

static void bind_conjugate(nb::module_& m) {
  nb::class_<SparseColumns>(m, "SparseColumns", "A sparse table by column, about its means.")
      .def(nb::init<Integers64, Rows32, Numbers, Numbers, Numbers>(), "starts"_a.noconvert(),
           "rows"_a.noconvert(), "values"_a.noconvert(), "means"_a.noconvert(),
           "root"_a.noconvert());
  m.def("conjugate_ridge", &conjugate_ridge, "table"_a, "alpha"_a, "sums"_a.noconvert(),
        "columns"_a.noconvert(), "weights"_a.noconvert(), "tolerance"_a, "steps"_a, "threads"_a,
        "Ridge regression of every target (a row) on its columns: mends the guesses in `weights`, and "
        "says how many targets reached the tolerance.");
}

// ---- support.hpp and support_elimination.hpp ----

static nb::ndarray<nb::numpy, double, nb::ndim<2>> as_matrix(const handful::Vectors& vectors) {
  auto* owned = new std::vector<double>(vectors.n * vectors.length);
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  for (std::size_t i = 0; i < vectors.n; ++i)
    std::copy_n(vectors[i], vectors.length, owned->data() + i * vectors.length);
  return nb::ndarray<nb::numpy, double, nb::ndim<2>>(owned->data(), {vectors.n, vectors.length}, owner);
}

static nb::ndarray<nb::numpy, double, nb::ndim<2>> solve_machines(
    const Matrix& gram, const Matrix& signs, const Matrix& bounds, const Matrix& start, int threads) {
  const std::size_t n = gram.shape(0);
  if (gram.shape(1) != n) throw nb::value_error("the Gram matrix is square");
  for (const Matrix& matrix : {signs, bounds, start})
    if (matrix.shape(0) != signs.shape(0) || matrix.shape(1) != n)
      throw nb::value_error("one sign, bound and start for each machine and row");
  handful::Vectors beta;
  {
    nb::gil_scoped_release release;
    handful::Team team(threads, interrupted);
    beta = handful::solve_machines(vectors_of(gram), vectors_of(signs), vectors_of(bounds),
                                   vectors_of(start), team);
  }
  return as_matrix(beta);
}

static nb::tuple eliminate_machines(const Matrix& columns, const Matrix& gram, const Matrix& signs,
                                    const Matrix& bounds, const Marks& kept, int threads) {
  const std::size_t n = columns.shape(1);
  if (gram.shape(0) != n || gram.shape(1) != n || signs.shape(1) != n || bounds.shape(1) != n ||
      bounds.shape(0) != signs.shape(0))
    throw nb::value_error("columns, gram, signs and bounds have the same rows");
  if (kept.size() != columns.shape(0)) throw nb::value_error("one mark per column");
  handful::Eliminated gone;
  {
    nb::gil_scoped_release release;
    handful::Team team(threads, interrupted);
    handful::SupportElimination machines(vectors_of(columns), vectors_of(gram),
                                         {vectors_of(signs), vectors_of(bounds)}, kept.data());
    gone = machines.run(team);
  }
  return as_tuple(std::move(gone));
}

static void bind_support(nb::module_& m) {
  m.def("solve_machines", &solve_machines, "gram"_a.noconvert(), "signs"_a.noconvert(),
        "bounds"_a.noconvert(), "start"_a.noconvert(), "threads"_a,
        "Dual coefficients of support vector machines, one per row, from a start that is feasible.");
  m.def("eliminate_machines", &eliminate_machines, "columns"_a.noconvert(), "gram"_a.noconvert(),
        "signs"_a.noconvert(), "bounds"_a.noconvert(), "kept"_a.noconvert(), "threads"_a,
        "Columns (one per row) in the order in which linear machines give them up, with scores, until "
        "only kept columns are left.");
}

// ---- weighting.hpp ----

using Codes = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Uniforms = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using DrawnRows = nb::ndarray<const std::int32_t, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

// A table, what its rows are to be told apart by and how: all that judging a subset needs. Keeps the
// arrays alive that the table lies in.
struct Trial {
  std::unique_ptr<handful::Source> source;
  std::vector<nb::object> owners;
  std::vector<std::int64_t> columns;
  std::vector<handful::Partition> partitions;
  std::string machine;
  double C = 1, tolerance = 1e-3;
  std::size_t n_neighbors = 1;
  bool balanced = false;

  std::unique_ptr<handful::Machine> build() const {
    if (machine == "svm") return std::make_unique<handful::LinearSvm>(C, tolerance);
    if (machine == "tree") return std::make_unique<handful::Tree>();
    if (machine == "hamming") return std::make_unique<handful::Nearest<handful::Differs>>(n_neighbors);
    return std::make_unique<handful::Nearest<handful::SquaredDifference>>(n_neighbors);
  }
  handful::Judges judges(int n) const {
    handful::Judges judges;
    for (int i = 0; i < n; ++i)
      judges.push_back(std::make_unique<handful::Judge>(*source, columns, partitions, build(), balanced));
    return judges;
  }
};

static void use_dense(Trial& trial, const nb::object& array) {
  const auto table = nb::cast<Table>(array);
  trial.source = with_type(table.dtype(), [&](const auto* null) -> std::unique_ptr<handful::Source> {
    using Value = std::remove_cvref_t<decltype(*null)>;
    return std::make_unique<handful::DenseSource<Value>>(static_cast<const Value*>(table.data()),
                                                         table.stride(0), table.stride(1));
  });
  trial.source->n_rows = table.shape(0);
  trial.source->n_columns = table.shape(1);
  trial.owners = {array};
}

static void use_sparse(Trial& trial, const nb::object& csc) {
  trial.owners = {csc.attr("data"), csc.attr("indices"), csc.attr("indptr")};
  const auto data = nb::cast<Stored>(trial.owners[0]), indices = nb::cast<Stored>(trial.owners[1]);
  const auto starts = nb::cast<Stored>(trial.owners[2]);
  const bool narrow = indices.dtype() == nb::dtype<std::int32_t>();
  if (indices.dtype() != starts.dtype() || !(narrow || indices.dtype() == nb::dtype<std::int64_t>()))
    throw nb::type_error("indices and indptr are both int32 or both int64");
  trial.source = with_type(data.dtype(), [&](const auto* null) -> std::unique_ptr<handful::Source> {
    using Value = std::remove_cvref_t<decltype(*null)>;
    const auto make = [&](const auto* index) -> std::unique_ptr<handful::Source> {
      using Index = std::remove_cvref_t<decltype(*index)>;
      return std::make_unique<handful::SparseSource<Value, Index>>(
          static_cast<const Value*>(data.data()), static_cast<const Index*>(indices.data()),
          static_cast<const Index*>(starts.data()));
    };
    return narrow ? make(static_cast<const std::int32_t*>(nullptr))
                  : make(static_cast<const std::int64_t*>(nullptr));
  });
  const auto shape = nb::cast<std::pair<std::size_t, std::size_t>>(csc.attr("shape"));
  trial.source->n_rows = shape.first;
  trial.source->n_columns = shape.second;
}

static void set_up(Trial* place, const nb::object& table, const Integers64& columns, const Codes& codes,
                   const std::vector<std::size_t>& n_classes, const std::string& machine, double C,
                   double tolerance, std::size_t n_neighbors, bool balanced) {
  auto* trial = new (place) Trial();
  if (nb::hasattr(table, "indptr")) use_sparse(*trial, table);
  else use_dense(*trial, table);
  if (codes.shape(0) != n_classes.size() || codes.shape(1) != trial->source->n_rows || n_classes.empty())
    throw nb::value_error("one row of codes per partition, one code per row of the table");
  trial->columns.assign(columns.data(), columns.data() + columns.size());
  for (std::int64_t j : trial->columns)
    if (j < 0 || std::size_t(j) >= trial->source->n_columns) throw nb::value_error("no such column");
  for (std::size_t t = 0; t < n_classes.size(); ++t) {
    const std::int32_t* code = codes.data() + t * codes.shape(1);
    for (std::size_t i = 0; i < codes.shape(1); ++i)
      if (code[i] < 0 || std::size_t(code[i]) >= n_classes[t]) throw nb::value_error("no such class");
    trial->partitions.push_back({{code, code + codes.shape(1)}, n_classes[t]});
  }
  trial->machine = machine;
  trial->C = C;
  trial->tolerance = tolerance;
  trial->n_neighbors = n_neighbors;
  trial->balanced = balanced;
}

static void require_rows(const std::int32_t* rows, std::size_t n, const Trial& trial) {
  for (std::size_t i = 0; i < n; ++i)
    if (rows[i] < 0 || std::size_t(rows[i]) >= trial.source->n_rows)
      throw nb::value_error("a row is out of range");
}

static nb::ndarray<nb::numpy, double, nb::ndim<1>> judge(const Trial& trial, const Places& subsets,
                                                         const DrawnRows& rows, int threads) {
  const std::size_t n = subsets.shape(0), k = subsets.shape(1), size = rows.shape(3);
  if (rows.shape(0) != 1 || rows.shape(1) != n || rows.shape(2) != 2 || size == 0)
    throw nb::value_error("rows are (1, n_subsets, 2, n_drawn)");
  std::vector<std::size_t> features(subsets.data(), subsets.data() + n * k);
  for (std::size_t j : features)
    if (j >= trial.columns.size()) throw nb::value_error("no such feature");
  require_rows(rows.data(), rows.size(), trial);
  std::vector<double> errors(n);
  {
    nb::gil_scoped_release release;
    handful::Team team(threads, interrupted);
    auto judges = trial.judges(team.size());
    team.each(n, 1, [&](const handful::Share& share) {
      const std::int32_t* drawn = rows.data() + share.index * 2 * size;
      errors[share.index] = judges[std::size_t(share.worker)]->error(
          {&features[share.index * k], k, drawn, drawn + size, size});
    });
  }
  return as_array(std::move(errors));
}

static std::unique_ptr<handful::Weights> build_weights(const std::string& optimizer,
                                                       const Numbers& start, double sigma,
                                                       std::size_t lag) {
  const std::vector<double> weights(start.data(), start.data() + start.size());
  if (weights.empty()) throw nb::value_error("no features");
  if (optimizer == "riemannian") return std::make_unique<handful::Riemannian>(weights, lag);
  if (optimizer == "multiplicative") return std::make_unique<handful::Multiplicative>(weights);
  if (optimizer == "diffusion") return std::make_unique<handful::Diffusion>(weights, sigma);
  if (optimizer == "euclidean") return std::make_unique<handful::Euclidean>(weights, false);
  if (optimizer == "clipped") return std::make_unique<handful::Euclidean>(weights, true);
  throw nb::value_error("unknown optimizer");
}

static nb::tuple learn(handful::Weights& weights, const Trial& trial, const Uniforms& uniforms,
                       const DrawnRows& rows, const Weights& noise, const Numbers& sizes,
                       std::optional<double> baseline, int threads) {
  const handful::Chance chance{uniforms.data(), rows.data(), noise ? noise->data() : nullptr,
                               uniforms.shape(0), uniforms.shape(1), uniforms.shape(2), rows.shape(3)};
  if (rows.shape(0) != chance.n_steps || rows.shape(1) != chance.n_subsets || rows.shape(2) != 2 ||
      sizes.size() != chance.n_steps || chance.sample_size == 0)
    throw nb::value_error("draws do not fit together");
  if (!baseline && chance.n_subsets < 2) throw nb::value_error("one subset has no others");
  if (noise && noise->size() != chance.n_steps * weights.size())
    throw nb::value_error("noise for every step and feature");
  if (weights.size() != trial.columns.size()) throw nb::value_error("a weight per feature");
  require_rows(rows.data(), rows.size(), trial);
  handful::Lesson lesson;
  {
    nb::gil_scoped_release release;
    handful::Team team(threads, interrupted);
    auto judges = trial.judges(team.size());
    lesson = handful::learn(weights, judges, chance, sizes.data(), baseline, team);
  }
  return nb::make_tuple(as_array(std::move(lesson.errors)), lesson.n_steps);
}

static bool move_weights(handful::Weights& weights, const Integers64& features, const Numbers& gradient,
                         double size, const Weights& noise) {
  if (features.size() != gradient.size()) throw nb::value_error("a number per feature");
  if (noise && noise->size() != weights.size()) throw nb::value_error("noise for every feature");
  handful::Gradient sparse;
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features.data()[i] < 0 || std::size_t(features.data()[i]) >= weights.size())
      throw nb::value_error("no such feature");
    sparse.feature.push_back(std::size_t(features.data()[i]));
    sparse.value.push_back(gradient.data()[i]);
  }
  return weights.step(sparse, size, noise ? noise->data() : nullptr);
}

static void bind_weighting(nb::module_& m) {
  nb::class_<Trial>(m, "Trial", "A table, its classes and a classifier: what subsets are judged by.")
      .def("__init__", &set_up, "table"_a, "columns"_a.noconvert(), "codes"_a.noconvert(),
           "n_classes"_a, "machine"_a, "C"_a, "tolerance"_a, "n_neighbors"_a, "balanced"_a)
      .def("judge", &judge, "subsets"_a.noconvert(), "rows"_a.noconvert(), "threads"_a,
           "The error of each subset, learned from its first and tested on its second draw of rows.");
  nb::class_<handful::Weights>(m, "Weights", "A point of the simplex that moves against gradients.")
      .def("__len__", &handful::Weights::size)
      .def(
          "draw",
          [](const handful::Weights& weights, const Numbers& uniforms) {
            std::vector<std::int64_t> features(uniforms.size());
            for (std::size_t i = 0; i < features.size(); ++i)
              features[i] = std::int64_t(weights.draw(uniforms.data()[i]));
            return as_array(std::move(features));
          },
          "uniforms"_a.noconvert(), "The features that uniform numbers stand for.")
      .def("step", &move_weights, "features"_a.noconvert(), "gradient"_a.noconvert(), "size"_a,
           "noise"_a.noconvert().none(), "False where it would leave the simplex.")
      .def("values",
           [](handful::Weights& weights) {
             const double* settled = weights.settled();
             return as_array(std::vector<double>(settled, settled + weights.size()));
           })
      .def("learn", &learn, "trial"_a, "uniforms"_a.noconvert(), "rows"_a.noconvert(),
           "noise"_a.noconvert().none(), "sizes"_a.noconvert(), "baseline"_a.none(), "threads"_a,
           "Errors of all subsets, and how many steps were made.");
  m.def("build_weights", &build_weights, "optimizer"_a, "start"_a.noconvert(), "sigma"_a, "lag"_a);
}

// ---- passes.hpp ----

// Calls `work` with the table's pieces, whose values are float or double.
template <class Work>
static nb::ndarray<nb::numpy, double, nb::ndim<1>> in_one_pass(const Table& table, int threads,
                                                               Work&& work) {
  const auto pass = [&](const auto* null) {
    using Value = std::remove_cvref_t<decltype(*null)>;
    const handful::Strided<Value> dense{static_cast<const Value*>(table.data()), table.shape(1),
                                        table.stride(0), table.stride(1)};
    const handful::Pieces<Value> pieces{dense, table.shape(0)};
    if (table.stride(0) != 1 && table.stride(1) != 1)
      throw nb::value_error("rows or columns must be contiguous");
    std::vector<double> answer;
    {
      nb::gil_scoped_release release;
      handful::Team team(threads, interrupted);
      answer = work(pieces, team);
    }
    return as_array(std::move(answer));
  };
  if (table.dtype() == nb::dtype<float>()) return pass(static_cast<const float*>(nullptr));
  if (table.dtype() == nb::dtype<double>()) return pass(static_cast<const double*>(nullptr));
  throw nb::type_error("float32 or float64");
}

static nb::ndarray<nb::numpy, double, nb::ndim<1>> products(const Table& table,
                                                            const CTable& vectors, int threads) {
  if (vectors.dtype() != table.dtype()) throw nb::type_error("vectors of the table's own type");
  if (vectors.shape(0) != handful::kVectors || vectors.shape(1) != table.shape(0))
    throw nb::value_error("as many vectors as a pass takes, with a number per row");
  const void* data = vectors.data();
  return in_one_pass(table, threads, [data](const auto& pieces, handful::Team& team) {
    using Value = std::remove_cvref_t<decltype(*pieces.table.data)>;
    return handful::products(pieces, static_cast<const Value*>(data), team);
  });
}

static nb::ndarray<nb::numpy, double, nb::ndim<1>> squared_lengths(const Table& table,
                                                                   const Numbers& weights,
                                                                   int threads) {
  if (weights.size() != table.shape(0)) throw nb::value_error("one weight per row");
  const double* data = weights.data();
  return in_one_pass(table, threads, [data](const auto& pieces, handful::Team& team) {
    return handful::squared_lengths(pieces, data, team);
  });
}

static void bind_passes(nb::module_& m) {
  m.attr("n_vectors") = handful::kVectors;
  m.def("products", &products, "table"_a.noconvert(), "vectors"_a.noconvert(), "threads"_a,
        "Products of every column with `n_vectors` vectors, which are rows; those with the first "
        "come first.");
  m.def("squared_lengths", &squared_lengths, "table"_a.noconvert(), "weights"_a.noconvert(),
        "threads"_a, "The weighted sum of each column's squares.");
}

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of handful. Private: its names may change without notice.";
  m.attr("width") = handful::kWidthNames[int(handful::kWidest)];
  register_interrupt();
  bind_planes(m);
  bind_information(m);
  bind_shard(m);
  bind_elimination(m);
  bind_conjugate(m);
  bind_support(m);
  bind_weighting(m);
  bind_passes(m);
}
