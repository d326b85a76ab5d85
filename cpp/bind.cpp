// The one file that knows Python: check the arrays, release the GIL, call a header.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "conjugate.hpp"
#include "elimination.hpp"
#include "information.hpp"
#include "pack.hpp"
#include "pack_sparse.hpp"
#include "parallel.hpp"
#include "support_elimination.hpp"

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
using Stored = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Weights = std::optional<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;

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
static Planes with_type(nb::dlpack::dtype type, Work&& work) {
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

static void bind_planes(nb::module_& m) {
  nb::class_<Planes>(m, "Planes", "Columns as planes of bits, rows sorted by class.")
      .def("__len__", &Planes::size, "How many columns.")
      .def_prop_ro("nbytes", &Planes::bytes, "Memory taken, shared blocks included.")
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

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
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

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of handful. Private: its names may change without notice.";
  m.attr("width") = handful::kWidthNames[int(handful::kWidest)];
  register_interrupt();
  bind_planes(m);
  bind_information(m);
  bind_elimination(m);
  bind_conjugate(m);
  bind_support(m);
}
