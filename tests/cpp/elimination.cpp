// Compiled and run by tests/test_core.py under the address and undefined behaviour sanitisers: sums in
// every width, the lazy search against a scan, and ridge eliminations against a fit at every step.
#include "elimination.hpp"

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

static double normal() {
  static std::normal_distribution<double> draw;
  return draw(source);
}

static Vectors random_vectors(std::size_t n, std::size_t length) {
  Vectors vectors(n, length);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < length; ++k) vectors[i][k] = normal();
  return vectors;
}

static void test_every_width_sums_alike() {
  for (int round = 0; round < 200; ++round) {
    const Vectors pair = random_vectors(2, 1 + below(70));
    const double plain = dot(pair[0], pair[1], pair.stride);
    for (int width = 0; width <= int(kWidest); ++width)
      require(wide<Dot>(Width(width), pair[0], pair[1], pair.stride) == plain, "sums of all widths");
    double sum = 0, size = 0;
    for (std::size_t k = 0; k < pair.length; ++k) {
      sum += pair[0][k] * pair[1][k];
      size += std::abs(pair[0][k] * pair[1][k]);
    }
    require(std::abs(sum - plain) <= 1e-14 * size, "the sum itself");
  }
}

// Coefficients that wander, columns that go: the lazy answer is that of a look at every column.
static void test_the_lazy_search_is_a_scan() {
  for (int round = 0; round < 20; ++round) {
    const std::size_t n = 1 + below(400), length = 1 + below(20), targets = 1 + below(3);
    Vectors columns = random_vectors(n, length);
    for (std::size_t j = 1; j < n; ++j)
      if (below(4) == 0) std::copy_n(columns[below(j)], columns.stride, columns[j]);
    std::vector<std::uint8_t> kept(n);
    for (auto& mark : kept) mark = below(10) == 0;
    Weakest lazy(columns, kept.data());
    Vectors dual = random_vectors(targets, length);
    std::vector<bool> gone(n);
    Team team(1 + int(below(2)));
    while (lazy.n_candidates() > 0) {
      std::vector<std::size_t> left;
      std::vector<double> score;
      double largest = 0;
      for (std::size_t j = 0; j < n; ++j) {
        if (gone[j]) continue;
        double squares = 0;
        for (std::size_t t = 0; t < targets; ++t) {
          const double weight = dot(columns[j], dual[t], columns.stride);
          squares += weight * weight;
        }
        largest = std::max(largest, std::sqrt(squares));
        if (kept[j]) continue;
        left.push_back(j);
        score.push_back(std::sqrt(squares));
      }
      const std::size_t plain =
          left[*weakest_of(left.size(), largest, [&](std::size_t k) { return score[k]; })];
      std::optional<Weak> weak;
      while (!(weak = lazy.find(dual))) lazy.refer(dual, team);
      require(weak->column == plain, "the lazy search");
      lazy.remove(plain);
      gone[plain] = true;
      for (double& value : dual.values) value *= 1 + 1e-3 * normal();
    }
  }
}

// Solves A x = b by elimination; A is positive definite.
static void solve(std::vector<std::vector<double>> A, std::vector<double>& b) {
  for (std::size_t i = 0; i < b.size(); ++i)
    for (std::size_t k = i + 1; k < b.size(); ++k) {
      const double factor = A[k][i] / A[i][i];
      for (std::size_t l = i; l < b.size(); ++l) A[k][l] -= factor * A[i][l];
      b[k] -= factor * b[i];
    }
  for (std::size_t i = b.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < b.size(); ++k) b[i] -= A[i][k] * b[k];
    b[i] /= A[i][i];
  }
}

// Scores of a fit on these columns, from the equations among them.
static std::vector<double> refit(const Vectors& columns, const Vectors& targets, double alpha,
                                 const std::vector<std::size_t>& left) {
  std::vector<std::vector<double>> gram(left.size(), std::vector<double>(left.size()));
  for (std::size_t i = 0; i < left.size(); ++i)
    for (std::size_t k = 0; k < left.size(); ++k)
      gram[i][k] = dot(columns[left[i]], columns[left[k]], columns.stride) + (i == k ? alpha : 0);
  std::vector<double> squares(left.size());
  for (std::size_t t = 0; t < targets.n; ++t) {
    std::vector<double> weight(left.size());
    for (std::size_t i = 0; i < left.size(); ++i)
      weight[i] = dot(columns[left[i]], targets[t], columns.stride);
    solve(gram, weight);
    for (std::size_t i = 0; i < left.size(); ++i) squares[i] += weight[i] * weight[i];
  }
  for (double& value : squares) value = std::sqrt(value);
  return squares;
}

// Every step of `gone` against a fit; returns what is left.
static std::vector<std::size_t> judge(const Eliminated& gone, const Vectors& columns,
                                      const Vectors& targets, double alpha,
                                      const std::vector<std::uint8_t>& kept) {
  std::vector<std::size_t> left;
  for (std::size_t j = 0; j < columns.n; ++j) left.push_back(j);
  for (std::size_t step = 0; step < gone.columns.size(); ++step) {
    const std::vector<double> score = refit(columns, targets, alpha, left);
    double least = 1e300;
    for (std::size_t k = 0; k < left.size(); ++k)
      if (!kept[left[k]]) least = std::min(least, score[k]);
    const auto place = std::find(left.begin(), left.end(), std::size_t(gone.columns[step]));
    require(place != left.end() && !kept[*place], "goes once, and may go");
    const double mine = score[std::size_t(place - left.begin())];
    require(mine <= least * (1 + 1e-7), "the smallest weight");
    require(std::abs(mine - gone.scores[step]) <= 1e-7 * mine, "the score");
    left.erase(place);
  }
  return left;
}

static Vectors inverse_of(const Vectors& columns, double alpha) {
  const std::size_t n = columns.length;
  std::vector<std::vector<double>> K(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    K[i][i] = alpha;
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < columns.n; ++j) K[i][k] += columns[j][i] * columns[j][k];
  }
  Vectors inverse(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> unit(n);
    unit[k] = 1;
    solve(K, unit);
    for (std::size_t i = 0; i < n; ++i) inverse[i][k] = unit[i];
  }
  return inverse;
}

static std::vector<std::uint8_t> some_kept(std::size_t n) {
  std::vector<std::uint8_t> kept(n);
  for (std::size_t j = 0; j < n; ++j) kept[j] = j && below(8) == 0;
  return kept;
}

static void test_dual() {
  for (int round = 0; round < 30; ++round) {
    const std::size_t n_rows = 2 + below(8), n = n_rows + 1 + below(50);
    const Vectors columns = random_vectors(n, n_rows), targets = random_vectors(1 + below(2), n_rows);
    const auto kept = some_kept(n);
    const double alpha = std::pow(10.0, normal());
    Team team(1);
    DualRidge ridge(columns, targets, inverse_of(columns, alpha), alpha, kept.data());
    const Eliminated gone = ridge.run(team);
    const auto left = judge(gone, columns, targets, alpha, kept);
    const auto n_kept = std::size_t(std::count(kept.begin(), kept.end(), 1));
    require(left.size() == std::max(n_rows, n_kept), "as far as the rows go");
    Team two(2);
    DualRidge again(columns, targets, inverse_of(columns, alpha), alpha, kept.data());
    require(again.run(two).scores == gone.scores, "the same for two threads");
  }
}

static void test_primal() {
  for (int round = 0; round < 30; ++round) {
    const std::size_t n = 1 + below(15), n_rows = n + below(10);
    const Vectors columns = random_vectors(n, n_rows), targets = random_vectors(1 + below(2), n_rows);
    const auto kept = some_kept(n);
    const double alpha = std::pow(10.0, normal());
    // Cholesky's factor of X'X + alpha I, and the targets turned as its rows are
    Vectors factor(n, n), rotated(n, targets.n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = i; k < n; ++k) {
        double sum = dot(columns[i], columns[k], columns.stride) + (i == k ? alpha : 0);
        for (std::size_t l = 0; l < i; ++l) sum -= factor[l][i] * factor[l][k];
        factor[i][k] = i == k ? std::sqrt(sum) : sum / factor[i][i];
      }
      for (std::size_t t = 0; t < targets.n; ++t) {
        double sum = dot(columns[i], targets[t], columns.stride);
        for (std::size_t l = 0; l < i; ++l) sum -= factor[l][i] * rotated[l][t];
        rotated[i][t] = sum / factor[i][i];
      }
    }
    Team team(1);
    PrimalRidge ridge(columns, targets, factor, rotated, alpha, kept.data());
    const auto left = judge(ridge.run(team), columns, targets, alpha, kept);
    require(left.size() == std::size_t(std::count(kept.begin(), kept.end(), 1)), "down to the kept");
  }
}

int main() {
  test_every_width_sums_alike();
  test_the_lazy_search_is_a_scan();
  test_dual();
  test_primal();
}
