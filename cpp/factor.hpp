// Triangular factors of symmetric matrices, a row or a few rows at a time, so that they can grow.
#pragma once

#include <algorithm>
#include <utility>

#include "vectors.hpp"

namespace handful {

// Rows of a lower triangular factor, in place, from the rows above: some at a time, since each row
// above then serves all of them, with the sums of one at a time.
struct FactoriseRows {
  static constexpr std::size_t kRows = 4;
  // the lanes of `dot`, which compilers do not find by themselves here
  using Lanes [[gnu::vector_size(kSumLanes * sizeof(double)), gnu::aligned(sizeof(double)),
                gnu::may_alias]] = double;

  // The first `n` entries of the rows from `at` on.
  HANDFUL_INLINE static void run(Vectors* matrix, std::size_t at, std::size_t n) {
    double* rows[kRows];
    for (std::size_t r = 0; r < kRows; ++r) rows[r] = (*matrix)[at + r];
    for (std::size_t k = 0; k < n; ++k) {
      const double* other = (*matrix)[k];
      double given[kRows];
      Lanes sums[kRows] = {};
      for (std::size_t r = 0; r < kRows; ++r) given[r] = std::exchange(rows[r][k], 0.0);
      for (std::size_t i = 0; i < k; i += kSumLanes) {
        const Lanes shared = *reinterpret_cast<const Lanes*>(other + i);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kRows; ++r)
          sums[r] += *reinterpret_cast<const Lanes*>(rows[r] + i) * shared;
      }
      for (std::size_t r = 0; r < kRows; ++r) {
        double lane[kSumLanes];
        std::copy_n(reinterpret_cast<const double*>(&sums[r]), kSumLanes, lane);
        rows[r][k] = (given[r] - sum_of(lane)) / other[k];
      }
    }
  }
};

// What is left of row i from its entry `from` on; the answer is the square of what stands on its
// diagonal, which is left for the caller.
struct FactoriseRow {
  HANDFUL_INLINE static double run(Vectors* matrix, std::size_t i, std::size_t from) {
    double* row = (*matrix)[i];
    for (std::size_t k = from; k < i; ++k) {
      const double* other = (*matrix)[k];
      const double given = row[k];
      row[k] = 0;  // the sums go on to the end of a group
      row[k] = (given - dot(row, other, padded(k + 1))) / other[k];
    }
    const double given = row[i];
    row[i] = 0;
    return given - dot(row, row, padded(i + 1));
  }
};

}  // namespace handful
