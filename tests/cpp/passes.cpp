// Compiled and run by tests/test_core.py under the address and undefined behaviour sanitisers: one pass
// over tables of all sizes and layouts against plain sums, in every width.
#include "passes.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace handful;

static void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}

static std::mt19937 source(7);

static std::size_t below(std::size_t n) { return std::size_t(source() % n); }

template <class Value>
static std::vector<Value> random_values(std::size_t n) {
  std::normal_distribution<double> draw;
  std::vector<Value> values(n);
  for (auto& value : values) value = Value(draw(source));
  return values;
}

// A table whose values end where the memory does, so that a look beyond is seen.
template <class Value>
static void test_passes(bool by_rows) {
  const std::size_t n = 1 + below(below(4) ? 50 : 1500), m = 1 + below(below(4) ? 50 : 1200);
  const auto values = random_values<Value>(n * m), vectors = random_values<Value>(n * kVectors);
  const auto weights = random_values<double>(n);
  const auto row = std::ptrdiff_t(by_rows ? m : 1), column = std::ptrdiff_t(by_rows ? 1 : n);
  const Strided<Value> table{values.data(), m, row, column};
  const Pieces<Value> pieces{table, n};
  Team team(1 + int(below(3)));
  const auto products = handful::products(pieces, vectors.data(), team);
  const auto squares = squared_lengths(pieces, weights.data(), team);
  const double close = n * 4 * double(std::numeric_limits<Value>::epsilon());
  for (std::size_t j = 0; j < m; ++j) {
    double length = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double value = *table.at(std::ptrdiff_t(i), j);
      length += weights[i] * value * value;
      size += std::abs(weights[i]) * value * value;
    }
    require(std::abs(length - squares[j]) <= 1e-13 * size, "a squared length");
    const std::size_t v = below(kVectors);
    double product = 0;
    size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double term = double(*table.at(std::ptrdiff_t(i), j)) * double(vectors[v * n + i]);
      product += term;
      size += std::abs(term);
    }
    require(std::abs(product - products[v * m + j]) <= close * size, "a product");
  }
}

template <class Kernel, class Value, class Sum>
static void test_widths(std::size_t stride) {
  const auto values = random_values<Value>(40 * 40);
  const std::vector<Value> vectors = random_values<Value>(kVectors * kPitch<Value>);
  const Piece<Value> piece{values.data(), std::ptrdiff_t(stride), 37, 39};
  // registers' worth, as the passes have it
  std::vector<Register<Sum>> plain(kVectors * kTile<Value>);
  Kernel::run(piece, vectors.data(), reinterpret_cast<Sum*>(plain.data()));
  for (int width = 0; width <= int(kWidest); ++width) {
    std::vector<Register<Sum>> sums(plain.size());
    wide<Kernel>(Width(width), piece, vectors.data(), reinterpret_cast<Sum*>(sums.data()));
    require(!std::memcmp(sums.data(), plain.data(), sums.size() * sizeof sums[0]), "all widths");
  }
}

int main() {
  for (int round = 0; round < 20; ++round)
    for (const bool by_rows : {true, false}) {
      test_passes<float>(by_rows);
      test_passes<double>(by_rows);
    }
  test_widths<AddByRows, float, float>(40);
  test_widths<AddByRows, double, double>(40);
  test_widths<AddByColumns, float, double>(40);
  test_widths<AddByColumns, double, double>(40);
}
