// Sums of products in an order that never changes, for every width of processor.
//
// Vectors are padded with zeros to whole groups of `kSumLanes` numbers. Equal vectors have equal sums,
// bit by bit, wherever they stand: that is what makes duplicated columns exact ties.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "wide.hpp"

namespace handful {

inline constexpr std::size_t kSumLanes = 8;

inline std::size_t padded(std::size_t n) { return (n + kSumLanes - 1) / kSumLanes * kSumLanes; }

HANDFUL_INLINE double sum_of(const double (&lane)[kSumLanes]) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

HANDFUL_INLINE double dot(const double* a, const double* b, std::size_t length) {
  double lane[kSumLanes] = {};
  for (std::size_t i = 0; i < length; i += kSumLanes)
    for (std::size_t l = 0; l < kSumLanes; ++l) lane[l] += a[i + l] * b[i + l];
  return sum_of(lane);
}

// Vectors of equal length, each padded.
struct Vectors {
  std::size_t n = 0, length = 0, stride = 0;
  std::vector<double> values;

  Vectors() = default;
  Vectors(std::size_t n_rows, std::size_t length)
      : n(n_rows), length(length), stride(padded(length)), values(n_rows * stride) {}
  Vectors(const double* given, std::size_t n_rows, std::size_t length) : Vectors(n_rows, length) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < length; ++k) values[i * stride + k] = given[i * length + k];
  }
  double* operator[](std::size_t i) { return values.data() + i * stride; }
  const double* operator[](std::size_t i) const { return values.data() + i * stride; }
};

struct Dot {
  HANDFUL_INLINE static double run(const double* a, const double* b, std::size_t length) {
    return dot(a, b, length);
  }
};

// y += a * x
struct AddTimes {
  HANDFUL_INLINE static void run(double* y, double a, const double* x, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) y[i] += a * x[i];
  }
};

// y = matrix * x
struct Multiply {
  HANDFUL_INLINE static void run(const Vectors& matrix, const double* x, double* y) {
    for (std::size_t i = 0; i < matrix.n; ++i) y[i] = dot(matrix[i], x, matrix.stride);
  }
};

// matrix += a * x x', for a symmetric matrix that stays symmetric bit by bit
struct AddSquare {
  HANDFUL_INLINE static void run(Vectors* matrix, double a, const double* x) {
    for (std::size_t i = 0; i < matrix->n; ++i) {
      double* row = (*matrix)[i];
      for (std::size_t k = 0; k < matrix->stride; ++k) row[k] += a * (x[i] * x[k]);
    }
  }
};

inline double norm(const double* x, std::size_t length) {
  return std::sqrt(widest<Dot>(x, x, length));
}

}  // namespace handful
