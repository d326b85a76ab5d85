// Compiled and run by tests/test_core.py under the address and undefined behaviour sanitisers: the sum
// tree against plain sums, lazy steps against eager ones, long runs on the simplex, and learning that
// does not depend on the number of threads.
#include "weighting.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>

using namespace handful;

// The sanitisers are there for the memory; a twentieth of the steps touches all of it.
#ifdef __SANITIZE_ADDRESS__
static constexpr int kShare = 20;
#else
static constexpr int kShare = 1;
#endif

static void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}

static std::mt19937_64 source(11);

static std::size_t below(std::size_t n) { return std::size_t(source() % n); }

static double uniform() { return std::uniform_real_distribution<double>()(source); }

static double normal() { return std::normal_distribution<double>()(source); }

static std::vector<double> random_start(std::size_t n) {
  std::vector<double> start(n);
  double sum = 0;
  for (double& value : start) sum += value = 0.2 + uniform();
  for (double& value : start) value /= sum;
  return start;
}

static void test_the_tree_finds_what_a_scan_finds() {
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + below(700);
    SumTree tree(n);
    for (std::size_t j = 0; j < n; ++j) tree.values()[j] = double(below(5));
    tree.values()[below(n)] = 1;
    tree.add_up();
    for (int change = 0; change < 20; ++change) {
      std::vector<std::size_t> changed;
      for (std::size_t i = below(6); i > 0; --i) changed.push_back(below(n));
      for (std::size_t j : changed) tree.values()[j] = 1 + double(below(4));
      tree.add_up(changed);
    }
    const double more = below(2) ? 2 : 0;
    const double total = tree.total() + more * double(n);
    for (int draw = 0; draw < 50; ++draw) {
      // whole numbers are summed exactly in any order
      const double point = double(below(std::size_t(total)));
      double rest = point, share;
      std::size_t j = 0;
      while (rest >= tree[j] + more) rest -= tree[j++] + more;
      require(tree.find(point, more, &share) == j, "where a point falls");
      require(std::abs(share - rest / (tree[j] + more)) < 1e-12, "how far into it");
    }
    double share;
    const std::size_t last = tree.find(total, more, &share);
    require(tree[last] + more > 0 && share < 1, "a point at the very end");
  }
}

static Gradient random_gradient(const Weights& weights, std::size_t k, double scale) {
  Gradient gradient;
  for (std::size_t i = 0; i < k; ++i) {
    const std::size_t j = weights.draw(uniform());
    if (std::find(gradient.feature.begin(), gradient.feature.end(), j) != gradient.feature.end())
      continue;
    gradient.feature.push_back(j);
    gradient.value.push_back(scale * normal());
  }
  return gradient;
}

// The same 100,000 steps, with all weights brought up to date in each and only now and then.
static void test_lazy_steps_are_eager_ones(std::size_t n, double size, std::size_t lag) {
  const auto start = random_start(n);
  Riemannian eager(start, 1), lazy(start, lag);
  for (int step = 0; step < 100'000 / kShare; ++step) {
    const Gradient gradient = random_gradient(eager, 5, 0.05);
    eager.step(gradient, size, nullptr);
    lazy.step(gradient, size, nullptr);
  }
  const double *expected = eager.settled(), *found = lazy.settled();
  double least = 1, most = 0;
  for (std::size_t j = 0; j < n; ++j) {
    require(std::abs(found[j] - expected[j]) <= 1e-6 * expected[j], "lazy weights");
    least = std::min(least, expected[j]);
    most = std::max(most, expected[j]);
  }
  require(most > 2 * least, "weights that moved");
}

static void require_on_simplex(const double* weights, std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    require(weights[j] >= 0, "no negative weight");
    sum += weights[j];
  }
  require(std::abs(sum - 1) <= 1e-12, "weights of sum 1");
}

static void test_many_steps_on_the_simplex(Weights& weights, double size, int steps) {
  steps /= kShare;
  std::vector<double> noise(weights.size());
  for (int step = 0; step < steps; ++step) {
    const Gradient gradient = random_gradient(weights, 3, 0.3);
    for (double& value : noise) value = normal();
    weights.step(gradient, size, noise.data());
    if (step % (steps / 10) == 0) require_on_simplex(weights.settled(), weights.size());
  }
  require_on_simplex(weights.settled(), weights.size());
}

static void test_the_simplex() {
  const auto start = random_start(20);
  Riemannian riemannian(start, 100);
  Multiplicative multiplicative(start);
  Euclidean euclidean(start, false), clipped(start, true);
  Diffusion diffusion(start, 0.05);
  test_many_steps_on_the_simplex(riemannian, 0.02, 1'000'000);
  test_many_steps_on_the_simplex(multiplicative, 0.02, 1'000'000);
  test_many_steps_on_the_simplex(euclidean, 1e-7, 1'000'000);
  test_many_steps_on_the_simplex(clipped, 1e-4, 1'000'000);
  test_many_steps_on_the_simplex(diffusion, 1e-3, 100'000);
}

static void test_steps_of_any_size_leave_numbers() {
  for (double size : {1.0, 1e3, 1e6, 1e12}) {
    const auto start = random_start(50);
    Riemannian riemannian(start, 100);
    Multiplicative multiplicative(start);
    for (Weights* weights : {static_cast<Weights*>(&riemannian), static_cast<Weights*>(&multiplicative)}) {
      for (int step = 0; step < 200; ++step)
        weights->step(random_gradient(*weights, 5, 1), size, nullptr);
      require_on_simplex(weights->settled(), 50);
    }
  }
}

template <class Make>
static void test_threads(Make make) {
  const std::size_t n_rows = 30, n_columns = 200, steps = 50, batch = 5, k = 8, n = 20;
  std::vector<double> table(n_rows * n_columns), uniforms(steps * batch * k), sizes(steps, 0.5);
  std::vector<std::int32_t> code(n_rows), rows(steps * batch * 2 * n);
  for (double& value : table) value = normal();
  for (double& value : uniforms) value = uniform();
  for (auto& label : code) label = std::int32_t(below(3));
  for (auto& row : rows) row = std::int32_t(below(n_rows));
  DenseSource<double> dense(table.data(), 1, std::ptrdiff_t(n_rows));
  dense.n_rows = n_rows;
  dense.n_columns = n_columns;
  std::vector<std::int64_t> columns(n_columns);
  for (std::size_t j = 0; j < n_columns; ++j) columns[j] = std::int64_t(j);
  const std::vector<Partition> partitions{{code, 3}};
  std::vector<double> errors, weights;
  for (int threads : {1, 2, 4}) {
    Team team(threads);
    Judges judges;
    for (int i = 0; i < team.size(); ++i)
      judges.push_back(std::make_unique<Judge>(dense, columns, partitions, make(), true));
    Riemannian riemannian(std::vector<double>(n_columns, 1.0 / n_columns), 64);
    const Chance chance{uniforms.data(), rows.data(), nullptr, steps, batch, k, n};
    const Lesson lesson = learn(riemannian, judges, chance, sizes.data(), 0.3, team);
    const double* found = riemannian.settled();
    if (threads == 1) {
      errors = lesson.errors;
      weights.assign(found, found + n_columns);
    }
    require(lesson.n_steps == steps && lesson.errors == errors, "errors of any number of threads");
    require(std::equal(weights.begin(), weights.end(), found), "weights of any number of threads");
  }
}

int main() {
  test_the_tree_finds_what_a_scan_finds();
  test_lazy_steps_are_eager_ones(200, 0.5, 64);
  test_lazy_steps_are_eager_ones(1000, 0.05, 1000);
  test_the_simplex();
  test_steps_of_any_size_leave_numbers();
  test_threads([] { return std::make_unique<LinearSvm>(1.0, 1e-3); });
  test_threads([] { return std::make_unique<Nearest<SquaredDifference>>(3); });
  test_threads([] { return std::make_unique<Tree>(); });
}
