// From the values of a column to a few levels.
//
// A column with few distinct values keeps them as its levels; any other is cut into bins with about
// the same number of rows. Cuts lie between neighbouring values that differ, at the place nearest to
// where k / bins of the rows are below, so equal values always share a level.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "bits.hpp"

namespace handful {

// How columns become levels: those with at most `max_distinct` values keep them, others are cut. A
// missing value has a level of its own beside those.
struct Cutting {
  std::size_t bins, max_distinct;
};

// The most levels of the values that are there: with one for those that are missing, a level, and the
// number of planes, still fit into a byte.
inline constexpr std::size_t kMaxLevels = 255;

// A value is at level a where it is above exactly a of the thresholds.
template <class Value>
using Thresholds = std::vector<Value>;

// A value of a column with the rows that have it, or the sum of their weights.
template <class Value>
struct Run {
  Value value;
  double rows;
};

// Runs in ascending order, each value once.
template <class Value>
void merge_runs(std::vector<Run<Value>>& runs) {
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].value == runs[last].value) {
      runs[last].rows += runs[i].rows;
    } else {
      runs[++last] = runs[i];
    }
  }
  runs.resize(std::min(runs.size(), last + 1));
}

// Rows below the k-th cut of an equal-frequency binning, ties aside: the k / bins quantile of n values
// lies at (n - 1) k / bins, and what is at or above it goes up.
inline double rows_below(double n, std::size_t k, std::size_t bins) {
  return std::ceil((n - 1) * double(k) / double(bins));
}

// Whether to cut at `high` rows below rather than `low`: at the one nearest to `target`, the lower on
// a tie; a cut with nothing on one side is none.
inline bool take_higher(double low, double high, double target, bool low_is_none, bool high_is_none) {
  if (low_is_none || high_is_none) return low_is_none;
  return high - target < target - low;
}

template <class Value>
void add_threshold(Thresholds<Value>& found, Value value) {
  if (found.empty() || found.back() < value) found.push_back(value);
}

// Stands above all numbers for those that are missing.
template <class Value>
inline constexpr Value kMissing = std::numeric_limits<Value>::max();

// From runs: for columns whose many zeros are not stored, and for rows with weights.
template <class Value>
Thresholds<Value> cut_runs(std::vector<Run<Value>>& runs, double n, bool floats, const Cutting& how) {
  Thresholds<Value> found;
  if (floats && runs.size() > 1 && runs.back().value == kMissing<Value>) {
    n -= runs.back().rows;
    runs.pop_back();
    found = cut_runs(runs, n, false, how);
    add_threshold(found, runs.back().value);
    return found;
  }
  if (runs.size() <= how.max_distinct) {
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) found.push_back(runs[i].value);
    return found;
  }
  std::size_t i = 0;
  double below = 0;  // rows with a value under that of run i
  for (std::size_t k = 1; k < how.bins; ++k) {
    const double target = rows_below(n, k, how.bins);
    while (i + 1 < runs.size() && below + runs[i].rows <= target) below += runs[i++].rows;
    const bool higher =
        take_higher(below, below + runs[i].rows, target, i == 0, i + 1 == runs.size());
    add_threshold(found, runs[higher ? i : i - 1].value);
  }
  return found;
}

// From all values, sorted; `step` values lie between neighbours.
template <class Value>
Thresholds<Value> cut_sorted(const Value* sorted, std::size_t n, std::size_t step, bool floats,
                             std::size_t n_distinct, const Cutting& how) {
  Thresholds<Value> found;
  if (floats && n_distinct > 1 && sorted[(n - 1) * step] == kMissing<Value>) {
    while (sorted[(n - 1) * step] == kMissing<Value>) --n;
    found = cut_sorted(sorted, n, step, false, n_distinct - 1, how);
    add_threshold(found, sorted[(n - 1) * step]);
    return found;
  }
  if (n_distinct <= how.max_distinct) {
    for (std::size_t i = 1; i < n && found.size() + 1 < n_distinct; ++i)
      if (sorted[(i - 1) * step] != sorted[i * step]) found.push_back(sorted[(i - 1) * step]);
    return found;
  }
  for (std::size_t k = 1; k < how.bins; ++k) {
    const auto target = std::size_t(rows_below(double(n), k, how.bins));
    std::size_t low = target, high = target + 1;
    while (low > 0 && sorted[(low - 1) * step] == sorted[target * step]) --low;
    if (low < target || low == 0)  // otherwise the cut is right where it should be
      while (high < n && sorted[high * step] == sorted[target * step]) ++high;
    const bool higher =
        take_higher(double(low), double(high), double(target), low == 0, high == n);
    add_threshold(found, sorted[((higher ? high : low) - 1) * step]);
  }
  return found;
}

// Sorts kLanes columns side by side without a branch: Batcher's merge exchange, each exchange done
// in all lanes at once. rows[i * kLanes + lane]; any n.
template <class Value>
inline constexpr std::size_t kLanes = 64 / sizeof(Value);

template <class Value>
struct SortLanes {
  static constexpr std::size_t kLanes = handful::kLanes<Value>;

  HANDFUL_INLINE static void run(Value* rows, std::size_t n) {
    const std::size_t top = std::bit_ceil(n) / 2;
    for (std::size_t p = top; p > 0; p /= 2) {
      std::size_t q = top, r = 0;
      for (std::size_t d = p;; d = q - p, q /= 2, r = p) {
        // the rows i with i & p == r stand in runs of p
        for (std::size_t i = r; i + d < n; i += 2 * p)
          exchange(rows + i * kLanes, rows + (i + d) * kLanes, std::min(p, n - d - i) * kLanes);
        if (q == p) break;
      }
    }
  }

 private:
  HANDFUL_INLINE static void exchange(Value* low, Value* high, std::size_t n) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const Value a = low[i + lane], b = high[i + lane];
        low[i + lane] = b < a ? b : a;
        high[i + lane] = b < a ? a : b;
      }
  }
};

// How many values each lane of sorted rows has.
template <class Value>
struct CountDistinct {
  static constexpr std::size_t kLanes = handful::kLanes<Value>;

  HANDFUL_INLINE static void run(const Value* sorted, std::size_t n, std::uint32_t* distinct) {
    std::uint32_t changes[kLanes] = {};
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        changes[lane] += sorted[i * kLanes + lane] != sorted[(i - 1) * kLanes + lane];
    for (std::size_t lane = 0; lane < kLanes; ++lane) distinct[lane] = changes[lane] + 1;
  }
};

// The levels of kLanes columns, rows of values to rows of bytes, `byte_step` apart.
// thresholds[k * kLanes + lane].
template <class Value>
struct LevelLanes {
  static constexpr std::size_t kLanes = handful::kLanes<Value>;

  HANDFUL_INLINE static void run(const Value* rows, std::size_t n, const Value* thresholds,
                                 std::size_t n_thresholds, std::uint8_t* level,
                                 std::size_t byte_step) {
    for (std::size_t i = 0; i < n; ++i) {
      Value above[kLanes] = {};
      for (std::size_t k = 0; k < n_thresholds; ++k)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          above[lane] += rows[i * kLanes + lane] > thresholds[k * kLanes + lane];
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        level[i * byte_step + lane] = std::uint8_t(above[lane]);
    }
  }
};

}  // namespace handful
