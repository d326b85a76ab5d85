// Compiled and run by tests/test_core.py under the address and undefined behaviour sanitisers: machines
// whose answers meet the conditions of optimality, from cold and warm starts, for one thread and two,
// and eliminations whose every step is that of machines from scratch.
#include "support_elimination.hpp"

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

struct Problem {
  Vectors gram, signs, bounds;
};

// Linear machines; some rows are copies, some absent from some machines.
static Problem random_problem() {
  const std::size_t n = 2 + below(40), d = 1 + below(30), machines = 1 + below(4);
  Vectors rows(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < d; ++k) rows[i][k] = normal();
  for (std::size_t i = 1; i < n; ++i)
    if (below(5) == 0) std::copy_n(rows[below(i)], rows.stride, rows[i]);
  Problem problem{Vectors(n, n), Vectors(machines, n), Vectors(machines, n)};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) problem.gram[i][k] = dot(rows[i], rows[k], rows.stride);
  for (std::size_t m = 0; m < machines; ++m) {
    const double C = std::pow(10.0, normal());
    for (std::size_t i = 0; i < n; ++i) {
      problem.signs[m][i] = below(3) ? 1 : -1;
      problem.bounds[m][i] = C * double(below(4));
    }
  }
  return problem;
}

static void require_optimal(const Problem& problem, const Vectors& beta) {
  for (std::size_t m = 0; m < beta.n; ++m) {
    double up = -1e300, down = 1e300, sum = 0, size = 0;
    for (std::size_t i = 0; i < beta.length; ++i) {
      const double mine = beta[m][i], bound = problem.signs[m][i] * problem.bounds[m][i];
      const double gradient = problem.signs[m][i] - dot(problem.gram[i], beta[m], beta.stride);
      require(std::min(0.0, bound) <= mine && mine <= std::max(0.0, bound), "within the bounds");
      if (mine < std::max(0.0, bound)) up = std::max(up, gradient);
      if (mine > std::min(0.0, bound)) down = std::min(down, gradient);
      sum += mine, size += std::abs(mine);
    }
    require(std::abs(sum) <= 1e-13 * std::max(1.0, size), "the coefficients sum to nothing");
    require(up - down <= 1e-9, "no pair gains");
  }
}

static Vectors gram_of(const Vectors& columns, const std::vector<bool>& gone) {
  Vectors gram(columns.length, columns.length);
  for (std::size_t j = 0; j < columns.n; ++j)
    if (!gone[j]) widest<AddSquare>(&gram, 1.0, columns[j]);
  return gram;
}

static void test_elimination() {
  const Problem problem = random_problem();
  const Vectors &signs = problem.signs, &bounds = problem.bounds;
  Vectors columns(1 + below(60), signs.length);
  for (std::size_t j = 0; j < columns.n; ++j) {
    const double scale = std::pow(10.0, normal());
    for (std::size_t i = 0; i < columns.length; ++i) columns[j][i] = scale * normal();
  }
  std::vector<std::uint8_t> kept(columns.n);
  for (std::size_t j = 1; j < columns.n; ++j) kept[j] = below(8) == 0;
  std::vector<bool> gone(columns.n);
  Team one(1), two(2);
  const Vectors gram = gram_of(columns, gone), nothing(signs.n, signs.length);
  const Eliminated order =
      SupportElimination(columns, gram, {signs, bounds}, kept.data()).run(one);
  require(order.columns.size() == std::size_t(std::count(kept.begin(), kept.end(), 0)), "all go");
  require(SupportElimination(columns, gram, {signs, bounds}, kept.data()).run(two).scores ==
              order.scores, "the same elimination for two threads");
  for (const auto column : order.columns) {
    const Vectors beta = solve_machines(gram_of(columns, gone), signs, bounds, nothing, one);
    double mine = 0, least = 1e300, largest = 0;
    for (std::size_t j = 0; j < columns.n; ++j) {
      double squares = 0;
      for (std::size_t m = 0; m < beta.n; ++m)
        squares += std::pow(dot(columns[j], beta[m], beta.stride), 2);
      if (j == std::size_t(column)) mine = std::sqrt(squares);
      if (!gone[j]) largest = std::max(largest, std::sqrt(squares));
      if (!gone[j] && !kept[j]) least = std::min(least, std::sqrt(squares));
    }
    require(mine <= least * (1 + 1e-7) + 1e-11 * largest, "the column that went weighed least");
    gone[std::size_t(column)] = true;
  }
}

int main() {
  for (int round = 0; round < 40; ++round) test_elimination();
  for (int round = 0; round < 300; ++round) {
    Problem problem = random_problem();
    Team one(1), two(2);
    const Vectors nothing(problem.signs.n, problem.signs.length);
    const Vectors beta =
        solve_machines(problem.gram, problem.signs, problem.bounds, nothing, one);
    require_optimal(problem, beta);
    const Vectors again = solve_machines(problem.gram, problem.signs, problem.bounds, nothing, two);
    require(again.values == beta.values, "the same for two threads");
    // a column leaves or joins: the old answer is where the search for the new one starts
    std::vector<double> column(padded(beta.length));
    for (std::size_t i = 0; i < beta.length; ++i) column[i] = normal();
    widest<AddSquare>(&problem.gram, 1.0, column.data());
    require_optimal(problem, solve_machines(problem.gram, problem.signs, problem.bounds, beta, one));
  }
}
