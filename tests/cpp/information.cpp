// Compiled and run by tests/test_core.py under the address and undefined behaviour sanitisers: every
// width of every kernel, and the lazy choice, against plain loops over the levels.
#include "information.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "pack.hpp"

using namespace handful;

static void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}

struct Problem {
  std::size_t n_rows, n_columns;
  std::vector<int> y;                  // by position
  std::vector<std::int32_t> row;       // at each position
  std::vector<std::size_t> ends;
  std::vector<std::int16_t> cells;     // row by row

  int level(std::size_t p, std::size_t j) const { return cells[std::size_t(row[p]) * n_columns + j]; }
};

static Problem draw(std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::size_t(random() % n); };
  Problem problem{2 + below(200), 1 + below(150), {}, {}, {}, {}};
  const std::size_t classes = 1 + below(std::min<std::size_t>(5, problem.n_rows));
  for (std::size_t p = 0; p < problem.n_rows; ++p) {
    problem.y.push_back(int(p < classes ? p : below(classes)));
    problem.row.push_back(std::int32_t(p));
  }
  std::sort(problem.y.begin(), problem.y.end());
  std::shuffle(problem.row.begin(), problem.row.end(), random);
  for (std::size_t p = 1; p <= problem.n_rows; ++p)
    if (p == problem.n_rows || problem.y[p] != problem.y[p - 1]) problem.ends.push_back(p);
  problem.cells.resize(problem.n_rows * problem.n_columns);
  for (std::size_t j = 0; j < problem.n_columns; ++j) {
    const std::size_t levels = 1 + below(below(4) ? 4 : 15), informed = below(3);
    for (std::size_t p = 0; p < problem.n_rows; ++p)
      problem.cells[std::size_t(problem.row[p]) * problem.n_columns + j] =
          std::int16_t(below(4) < informed ? std::size_t(problem.y[p]) % levels : below(levels));
  }
  return problem;
}

// I(Y; A | B), B constant where there is none.
static double information(const Problem& problem, std::size_t a, const std::size_t* b) {
  std::map<std::array<int, 3>, double> joint;
  std::map<std::array<int, 2>, double> with_y, with_a;
  std::map<int, double> alone;
  for (std::size_t p = 0; p < problem.n_rows; ++p) {
    const int y = problem.y[p], i = problem.level(p, a), k = b ? problem.level(p, *b) : 0;
    ++joint[{y, i, k}], ++with_y[{y, k}], ++with_a[{i, k}], ++alone[k];
  }
  double sum = 0;
  for (const auto& [at, count] : joint)
    sum += count * std::log(count * alone[at[2]] / (with_y[{at[0], at[2]}] * with_a[{at[1], at[2]}]));
  return sum / double(problem.n_rows);
}

static bool constant(const Problem& problem, std::size_t j) {
  for (std::size_t p = 1; p < problem.n_rows; ++p)
    if (problem.level(p, j) != problem.level(0, j)) return false;
  return true;
}

// Every column scored at every step, the first of the best chosen.
static std::vector<std::int64_t> eager(const Problem& problem) {
  std::vector<std::int64_t> chosen;
  std::vector<double> score(problem.n_columns, Tournament::kGone);
  for (std::size_t j = 0; j < problem.n_columns; ++j)
    if (!constant(problem, j)) score[j] = information(problem, j, nullptr);
  for (;;) {
    std::size_t best = problem.n_columns;
    for (std::size_t j = 0; j < problem.n_columns; ++j)
      if (score[j] != Tournament::kGone && (best == problem.n_columns || beats(score[j], score[best])))
        best = j;
    if (best == problem.n_columns) return chosen;
    chosen.push_back(std::int64_t(best));
    score[best] = Tournament::kGone;
    for (std::size_t j = 0; j < problem.n_columns; ++j)
      if (score[j] != Tournament::kGone) score[j] = std::min(score[j], information(problem, j, &best));
  }
}

// I(Y; A) and I(Y; A | B) from the kernels' sums.
static double alone(const Totals& t, const Single& a) { return relevance(t, a); }
static double given(const Totals& t, const Single& b, const Pair& ab) {
  return (ab.three - ab.two - b.with_class + b.own) / t.rows;
}

static void kernels_agree(const Problem& problem, const Planes& planes) {
  const Rows rows(planes);
  const Totals totals = BitCounter(planes, 1).totals;
  const std::vector<double> ones(problem.n_rows, 1.0);
  WeightCounter weights(planes, ones.data(), 1);
  std::vector<Count> tally(4096);
  std::vector<Lanes> lanes(1024);
  for (std::size_t j = 0; j < planes.size(); ++j) {
    if (constant(problem, j)) continue;
    const std::size_t other = (j + 1) % planes.size();
    const ChosenBits b(planes, other), as_planes(planes, j);
    const Column a{as_planes.words.data(), as_planes.n_planes};
    const double expected_alone = information(problem, j, nullptr);
    const double expected_given = information(problem, j, &other);
    const auto close = [](double found, double expected) { return std::abs(found - expected) < 1e-12; };
    const Pair by_row = weights.pair(j, weights.chosen(other), 0);
    for (int width = 0; width <= int(kWidest); ++width) {
      const Single single = wide<CountSingle>(Width(width), rows, a, tally.data());
      const Column other_column{b.words.data(), b.n_planes};
      const Single of_b = wide<CountSingle>(Width(width), rows, other_column, tally.data());
      require(close(alone(totals, single), expected_alone), "information");
      const Pair pair = wide<CountLevels>(Width(width), rows, a, b, tally.data());
      require(close(given(totals, of_b, pair), expected_given), "conditional information");
      require(close(given(totals, of_b, by_row), expected_given), "counted by row");
      if (a.n_planes == 1 && b.n_planes == 1) {
        const Pair boolean = wide<CountBooleans>(Width(width), rows, a.planes, b);
        require(close(given(totals, of_b, boolean), expected_given), "boolean loop");
      }
      std::vector<Word> level(words_for(8 * problem.n_rows)), cell(2048);
      planes.levels_of(j, reinterpret_cast<std::uint8_t*>(level.data()));
      const Column in_bytes{level.data(), a.n_planes};
      const Pair bytes = wide<CountBytes<true>>(Width(width), rows, in_bytes, b, cell.data());
      require(close(given(totals, of_b, bytes), expected_given), "bytes");
      const Pair all = wide<CountBytes<false>>(Width(width), rows, in_bytes, b, cell.data());
      require(std::abs(all.two - bytes.two) < 1e-9, "bytes without classes");
      std::vector<Lanes> words(std::size_t(a.n_planes) * planes.words);
      for (std::size_t i = 0; i < words.size(); ++i) words[i].at[j % kGroup] = a.planes[i];
      for (bool by_class : {true, false}) {
        Pair sums[kGroup];
        const ChosenParts parts(rows, b, by_class);
        wide<CountGroup>(Width(width), rows, words.data(), a.n_planes, parts, lanes.data(), &sums[0]);
        require(std::abs(sums[j % kGroup].two - pair.two) < 1e-9, "pairs in lanes");
        require(!by_class || std::abs(sums[j % kGroup].three - pair.three) < 1e-9, "triples in lanes");
      }
    }
  }
}

int main() {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const Problem problem = draw(random);
    Team team(1 + round % 3);
    const Layout layout{problem.row.data(), problem.ends};
    const Strided<std::int16_t> table{problem.cells.data(), problem.n_columns,
                                      std::ptrdiff_t(problem.n_columns), 1};
    const Planes planes = pack_values(table, layout, Cutting{5, 64}, team);
    kernels_agree(problem, planes);
    const std::vector<double> ones(problem.n_rows, 1.0);
    for (const double* weight : {static_cast<const double*>(nullptr), ones.data()}) {
      const Choice lazy = choose(planes, weight, {Criterion::cmim, problem.n_columns, 0}, team);
      require(lazy.columns == eager(problem), "the lazy choice is the eager one");
    }
    for (std::size_t criterion = 0; criterion < std::size(kCriteria); ++criterion) {
      const Wish wish{Criterion(criterion), problem.n_columns, 0};
      require(choose(planes, nullptr, wish, team).columns == choose(planes, ones.data(), wish, team).columns,
              kCriteria[criterion]);
    }
  }
}
