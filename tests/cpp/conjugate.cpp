// Compiled and run by tests/test_core.py under the address and undefined behaviour sanitisers:
// conjugate gradients on sparse tables against elimination by hand, together and alone.
#include "conjugate.hpp"

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

static std::mt19937 source(11);

static std::size_t below(std::size_t n) { return std::size_t(source() % n); }

static double normal() {
  static std::normal_distribution<double> draw;
  return draw(source);
}

struct Problem {
  std::size_t n_rows, n_columns, n_targets, n_left;
  std::vector<std::int64_t> starts{0}, left;
  std::vector<std::int32_t> rows;
  std::vector<double> values, means, root, sums, centred;  // the last as columns, written out

  Problem()
      : n_rows(1 + below(30)), n_columns(1 + below(40)), n_targets(1 + below(20)),
        n_left(1 + below(n_columns)) {
    for (std::size_t i = 0; i < n_rows; ++i) root.push_back(0.5 + double(below(3)));
    for (std::size_t j = 0; j < n_columns; ++j) {
      means.push_back(normal());
      for (std::size_t i = 0; i < n_rows; ++i) {
        centred.push_back(-root[i] * means[j]);
        if (below(3)) continue;
        rows.push_back(std::int32_t(i));
        values.push_back(normal());
        centred.back() += values.back();
      }
      starts.push_back(std::int64_t(rows.size()));
    }
    for (std::size_t i = 0; i < n_columns * n_targets; ++i) sums.push_back(normal());
    for (std::size_t t = 0; t < n_targets; ++t) {
      std::vector<std::int64_t> all(n_columns);
      for (std::size_t j = 0; j < n_columns; ++j) all[j] = std::int64_t(j);
      if (below(2)) std::shuffle(all.begin(), all.end(), source);
      all.resize(n_left);
      std::sort(all.begin(), all.end());
      left.insert(left.end(), all.begin(), all.end());
    }
  }
  SparseTable table() const {
    return {starts.data(), rows.data(), values.data(), n_columns, n_rows, means.data(), root.data()};
  }
  std::vector<double> solved(double alpha, int threads, double guess) const {
    std::vector<double> weights(n_targets * n_left, guess);
    Team team(threads);
    const std::size_t good = conjugate_ridge(table(), alpha, {1e-12, 10000},
                                             {n_targets, n_left, left.data(), weights.data(),
                                              sums.data()}, team);
    require(good == n_targets, "solved to the tolerance");
    return weights;
  }
  // What the weights of target t leave of its equations.
  double residual(const std::vector<double>& weights, double alpha, std::size_t t) const {
    std::vector<double> product(n_rows);
    const auto column = [&](std::size_t k) { return std::size_t(left[t * n_left + k]); };
    for (std::size_t k = 0; k < n_left; ++k)
      for (std::size_t i = 0; i < n_rows; ++i)
        product[i] += centred[column(k) * n_rows + i] * weights[t * n_left + k];
    double worst = 0;
    for (std::size_t k = 0; k < n_left; ++k) {
      double rest = sums[column(k) * n_targets + t] - alpha * weights[t * n_left + k];
      for (std::size_t i = 0; i < n_rows; ++i) rest -= centred[column(k) * n_rows + i] * product[i];
      worst = std::max(worst, std::abs(rest));
    }
    return worst;
  }
};

static void test_the_equations_hold() {
  for (int round = 0; round < 300; ++round) {
    const Problem problem;
    const double alpha = 0.1 + double(below(10));
    const auto weights = problem.solved(alpha, 1, 0);
    for (std::size_t t = 0; t < problem.n_targets; ++t)
      require(problem.residual(weights, alpha, t) <= 1e-10, "the equations");
    require(problem.solved(alpha, 3, 0) == weights, "the same bits in several threads");
    const auto guessed = problem.solved(alpha, 1, 1);
    for (std::size_t t = 0; t < problem.n_targets; ++t)
      require(problem.residual(guessed, alpha, t) <= 1e-10, "the equations from a guess");
  }
}

static void test_too_few_steps_are_told() {
  const Problem problem;
  std::vector<double> weights(problem.n_targets * problem.n_left);
  Team team(1);
  const Targets targets{problem.n_targets, problem.n_left, problem.left.data(), weights.data(),
                        problem.sums.data()};
  require(conjugate_ridge(problem.table(), 1e-9, {1e-12, 0}, targets, team) == 0, "not solved");
}

static void test_every_width_multiplies_alike() {
  const Problem problem;
  Entries entries;
  for (std::size_t j = 0; j < problem.n_columns; ++j) entries.starts.push_back(std::size_t(problem.starts[j + 1]));
  entries.places = problem.rows;
  entries.values = problem.values;
  std::vector<double> in(problem.n_rows * kTogether), offset(kTogether);
  for (double& value : in) value = normal();
  for (double& value : offset) value = normal();
  std::vector<double> plain(problem.n_columns * kTogether), out(plain.size());
  TimesLines<kTogether>::run(entries, in.data(), problem.means.data(), offset.data(), plain.data());
  for (int width = 0; width <= int(kWidest); ++width) {
    wide<TimesLines<kTogether>>(Width(width), entries, in.data(), problem.means.data(), offset.data(),
                                out.data());
    require(out == plain, "products of all widths");
  }
}

int main() {
  test_the_equations_hold();
  test_too_few_steps_are_told();
  test_every_width_multiplies_alike();
}
