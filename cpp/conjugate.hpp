// Ridge regression on a sparse table by conjugate gradients, several targets at once, each on columns
// of its own.
//
// A product with a sparse table costs the way to each entry's number, not the arithmetic. So `kTogether`
// targets share the way: their numbers lie side by side, a cache line per column or row. Targets with
// too few columns in common go alone. The table's columns are about their means, and its rows times
// the root of their weight, without a number written down: (X - root means')v = Xv - root (means'v).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "parallel.hpp"
#include "vectors.hpp"

namespace handful {

inline constexpr std::size_t kTogether = 8;

// Entries line by line: those of line i are [starts[i], starts[i + 1]), each with its place across.
struct Entries {
  std::vector<std::size_t> starts{0};
  std::vector<std::int32_t> places;
  std::vector<double> values;

  std::size_t n() const { return starts.size() - 1; }

  Entries turned(std::size_t n_across) const {
    Entries across;
    across.starts.assign(n_across + 1, 0);
    for (const auto place : places) ++across.starts[std::size_t(place) + 1];
    for (std::size_t i = 0; i < n_across; ++i) across.starts[i + 1] += across.starts[i];
    across.places.resize(places.size());
    across.values.resize(values.size());
    std::vector<std::size_t> next(across.starts.begin(), across.starts.end() - 1);
    for (std::size_t i = 0; i < n(); ++i)
      for (std::size_t e = starts[i]; e < starts[i + 1]; ++e) {
        const std::size_t to = next[std::size_t(places[e])]++;
        across.places[to] = std::int32_t(i);
        across.values[to] = values[e];
      }
    return across;
  }
};

// The numbers of all lanes at one column or row, as the processor holds them. Written as an array they
// would be taken apart: compilers keep a small array's numbers each by itself.
template <std::size_t lanes>
struct LineOf {
  typedef double type
      __attribute__((vector_size(lanes * sizeof(double)), aligned(sizeof(double)), may_alias));
};
template <>
struct LineOf<1> {
  using type = double;
};
template <std::size_t lanes>
using Line = typename LineOf<lanes>::type;

template <std::size_t lanes>
HANDFUL_INLINE const Line<lanes>* lines_of(const double* numbers) {
  return reinterpret_cast<const Line<lanes>*>(numbers);
}
template <std::size_t lanes>
HANDFUL_INLINE Line<lanes>* lines_of(double* numbers) {
  return reinterpret_cast<Line<lanes>*>(numbers);
}

// out = entries * in - scale offset'
template <std::size_t lanes>
struct TimesLines {
  HANDFUL_INLINE static void run(const Entries& entries, const double* in, const double* scale,
                                 const double* offset, double* out) {
    const auto* lines = lines_of<lanes>(in);
    const Line<lanes> shift = *lines_of<lanes>(offset);
    for (std::size_t i = 0; i < entries.n(); ++i) {
      Line<lanes> sum = -scale[i] * shift;
      for (std::size_t e = entries.starts[i]; e < entries.starts[i + 1]; ++e)
        sum += entries.values[e] * lines[entries.places[e]];
      lines_of<lanes>(out)[i] = sum;
    }
  }
};

// The lines of `values`, each times its weight, summed.
template <std::size_t lanes>
struct SumLines {
  HANDFUL_INLINE static void run(const double* weight, const double* values, std::size_t n,
                                 double* sums) {
    Line<lanes> sum{};
    for (std::size_t i = 0; i < n; ++i) sum += weight[i] * lines_of<lanes>(values)[i];
    *lines_of<lanes>(sums) = sum;
  }
};

// Per target the inner product of a and b.
template <std::size_t lanes>
struct DotLines {
  HANDFUL_INLINE static void run(const double* a, const double* b, std::size_t n, double* sums) {
    Line<lanes> sum{};
    for (std::size_t i = 0; i < n; ++i) sum += lines_of<lanes>(a)[i] * lines_of<lanes>(b)[i];
    *lines_of<lanes>(sums) = sum;
  }
};

// weights += step direction, rest -= step turned; and what is left then, squared
template <std::size_t lanes>
struct StepLines {
  HANDFUL_INLINE static void run(const double* step, const double* direction, const double* turned,
                                 std::size_t n, double* weights, double* rest, double* left) {
    const Line<lanes> by = *lines_of<lanes>(step);
    Line<lanes> sum{};
    for (std::size_t i = 0; i < n; ++i) {
      lines_of<lanes>(weights)[i] += by * lines_of<lanes>(direction)[i];
      const Line<lanes> now = lines_of<lanes>(rest)[i] - by * lines_of<lanes>(turned)[i];
      lines_of<lanes>(rest)[i] = now;
      sum += now * now;
    }
    *lines_of<lanes>(left) = sum;
  }
};

// direction = rest + ratio direction
template <std::size_t lanes>
struct TurnLines {
  HANDFUL_INLINE static void run(const double* ratio, const double* rest, std::size_t n,
                                 double* direction) {
    const Line<lanes> by = *lines_of<lanes>(ratio);
    for (std::size_t i = 0; i < n; ++i)
      lines_of<lanes>(direction)[i] =
          lines_of<lanes>(rest)[i] + by * lines_of<lanes>(direction)[i];
  }
};

// y = mask (y + factor x)
template <std::size_t lanes>
struct AddMasked {
  HANDFUL_INLINE static void run(double* y, double factor, const double* x, const double* mask,
                                 std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] = mask[i] * (y[i] + factor * x[i]);
  }
};

// How close to come to the solution, as a share of X'y, and in at most how many steps.
struct Precision {
  double tolerance;
  std::size_t n_steps;
};

// (X'X + alpha) W = sums, of each target where its mask is 1; X has as many rows as `root`.
template <std::size_t lanes>
class Gradients {
 public:
  Gradients(Entries columns, std::vector<double> means, const double* root, std::size_t n_rows,
            double alpha)
      : columns_(std::move(columns)), rows_(columns_.turned(n_rows)), means_(std::move(means)),
        root_(root), alpha_(alpha), product_(n_rows * lanes) {}

  // From the guess in `weights`, which is zero where `mask` is; false where so many steps were not
  // enough. Calls `check` after each.
  template <class Check>
  bool solve(const std::vector<double>& sums, const std::vector<double>& mask,
             const Precision& precision, std::vector<double>& weights, Check&& check) {
    const std::size_t n = columns_.n();
    std::array<double, lanes> enough, left, along, step, ratio;
    widest<DotLines<lanes>>(sums.data(), sums.data(), n, enough.data());
    for (double& value : enough) value *= precision.tolerance * precision.tolerance;
    std::vector<double> rest(sums), turned(n * lanes);
    system(weights, mask, turned);
    for (std::size_t i = 0; i < n * lanes; ++i) rest[i] -= turned[i];
    std::vector<double> direction(rest);
    widest<DotLines<lanes>>(rest.data(), rest.data(), n, left.data());
    for (std::size_t k = 0; k <= precision.n_steps; ++k) {
      if (std::equal(left.begin(), left.end(), enough.begin(), std::less_equal<double>{}))
        return true;
      system(direction, mask, turned);
      widest<DotLines<lanes>>(direction.data(), turned.data(), n, along.data());
      for (std::size_t l = 0; l < lanes; ++l) step[l] = along[l] > 0 ? left[l] / along[l] : 0;
      ratio = left;
      widest<StepLines<lanes>>(step.data(), direction.data(), turned.data(), n, weights.data(),
                               rest.data(), left.data());
      for (std::size_t l = 0; l < lanes; ++l) ratio[l] = ratio[l] > 0 ? left[l] / ratio[l] : 0;
      widest<TurnLines<lanes>>(ratio.data(), rest.data(), n, direction.data());
      check();
    }
    return false;
  }

 private:
  void system(const std::vector<double>& given, const std::vector<double>& mask,
              std::vector<double>& answer) {
    std::array<double, lanes> offset;
    widest<SumLines<lanes>>(means_.data(), given.data(), means_.size(), offset.data());
    widest<TimesLines<lanes>>(rows_, given.data(), root_, offset.data(), product_.data());
    widest<SumLines<lanes>>(root_, product_.data(), rows_.n(), offset.data());
    widest<TimesLines<lanes>>(columns_, product_.data(), means_.data(), offset.data(), answer.data());
    widest<AddMasked<lanes>>(answer.data(), alpha_, given.data(), mask.data(), answer.size());
  }

  Entries columns_, rows_;
  std::vector<double> means_;
  const double* root_;
  double alpha_;
  std::vector<double> product_;
};

// A table by column, about whose means and with which roots of the rows' weights a ridge is fitted.
struct SparseTable {
  const std::int64_t* starts;
  const std::int32_t* rows;
  const double* values;
  std::size_t n_columns, n_rows;
  const double *means, *root;
};

// For each target as many columns, rising, their weights (a guess, then the answer), and X'y of all.
struct Targets {
  std::size_t n, n_left;
  const std::int64_t* columns;
  double* weights;
  const double* sums;  // column by column, of every target
};

// The models of some targets, on the columns that any of them has.
template <std::size_t lanes>
class Group {
 public:
  Group(const SparseTable& table, const Targets& targets, const Share& share,
        const std::vector<std::size_t>& columns)
      : table_(table), targets_(targets), share_(share), place_(table.n_columns),
        sums_(columns.size() * lanes), mask_(sums_.size()), weights_(sums_.size()) {
    for (const std::size_t j : columns) {
      const std::size_t begin = std::size_t(table.starts[j]), end = std::size_t(table.starts[j + 1]);
      place_[j] = means_.size() * lanes;
      entries_.places.insert(entries_.places.end(), table.rows + begin, table.rows + end);
      entries_.values.insert(entries_.values.end(), table.values + begin, table.values + end);
      entries_.starts.push_back(entries_.places.size());
      means_.push_back(table.means[j]);
    }
    each([&](std::size_t i, std::size_t t, std::size_t at) {
      sums_[at] = targets.sums[std::size_t(targets.columns[i]) * targets.n + t];
      mask_[at] = 1;
      weights_[at] = targets.weights[i];
    });
  }

  // Writes the weights over the guess.
  bool solve(double alpha, const Precision& precision, Team& team) {
    Gradients<lanes> gradients(std::move(entries_), std::move(means_), table_.root, table_.n_rows,
                               alpha);
    const bool solved = gradients.solve(sums_, mask_, precision, weights_, [&] {
      if (share_.worker == 0) team.check();
    });
    each([&](std::size_t i, std::size_t, std::size_t at) { targets_.weights[i] = weights_[at]; });
    return solved;
  }

 private:
  // Where a target's column is among the arguments, which target, and where among the lines.
  template <class Visit>
  void each(Visit&& visit) {
    for (std::size_t t = share_.begin; t < share_.end; ++t)
      for (std::size_t i = t * targets_.n_left; i < (t + 1) * targets_.n_left; ++i)
        visit(i, t, place_[std::size_t(targets_.columns[i])] + t - share_.begin);
  }

  const SparseTable& table_;
  const Targets& targets_;
  Share share_;
  std::vector<std::size_t> place_;
  Entries entries_;
  std::vector<double> means_, sums_, mask_, weights_;
};

// The columns that any of some targets has, or none where these have so few entries in common that
// each target is sooner done by itself.
inline std::vector<std::size_t> in_common(const SparseTable& table, const Targets& targets,
                                          const Share& share) {
  std::vector<std::uint8_t> present(table.n_columns);
  std::size_t apart = 0, together = 0;
  for (std::size_t i = share.begin * targets.n_left; i < share.end * targets.n_left; ++i) {
    const std::size_t j = std::size_t(targets.columns[i]);
    const std::size_t length = std::size_t(table.starts[j + 1] - table.starts[j]);
    apart += length;
    if (!present[j]) together += length;
    present[j] = 1;
  }
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < table.n_columns; ++j)
    if (present[j] && 2 * together <= apart) columns.push_back(j);
  return columns;
}

// How many of the targets were solved to the tolerance.
inline std::size_t conjugate_ridge(const SparseTable& table, double alpha, const Precision& precision,
                                   const Targets& targets, Team& team) {
  std::vector<std::uint8_t> solved(targets.n);
  team.each(targets.n, kTogether, [&](const Share& share) {
    const std::vector<std::size_t> columns = in_common(table, targets, share);
    if (!columns.empty()) {
      Group<kTogether> group(table, targets, share, columns);
      const bool all = group.solve(alpha, precision, team);
      for (std::size_t t = share.begin; t < share.end; ++t) solved[t] = all;
      return;
    }
    for (std::size_t t = share.begin; t < share.end; ++t) {
      const std::int64_t* own = targets.columns + t * targets.n_left;
      Group<1> alone(table, targets, {t, t + 1, t, share.worker}, {own, own + targets.n_left});
      solved[t] = alone.solve(alpha, precision, team);
    }
  });
  return std::size_t(std::count(solved.begin(), solved.end(), 1));
}

}  // namespace handful
