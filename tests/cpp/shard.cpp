// Compiled and run by tests/test_core.py under the address and undefined behaviour sanitisers: a
// choice driven over shards is the choice from one table, in bits and in weights.
#include "shard.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>

#include "pack.hpp"

using namespace handful;

static void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}

// Columns of a table of cells, row by row.
static Planes pack(const std::vector<std::int8_t>& cells, std::size_t width, std::size_t first,
                   std::size_t n, const std::vector<std::size_t>& ends) {
  std::vector<std::int32_t> row(ends.back());
  std::iota(row.begin(), row.end(), 0);
  const Layout layout{row.data(), ends, nullptr};
  Team team(1, [] { return false; });
  const Strided<std::int8_t> table{cells.data() + first, n, std::ptrdiff_t(width), 1};
  return pack_values(table, layout, {5, 64}, team);
}

// The best column by cmim, one after the other, where shards begin at `starts`.
static std::vector<std::int64_t> drive(std::vector<std::unique_ptr<Shard>>& shards,
                                       const std::vector<std::size_t>& starts, std::size_t n) {
  std::vector<double> score;
  for (auto& shard : shards)
    for (double one : shard->with([](auto& of) { return of.relevances(); })) score.push_back(one);
  std::vector<std::uint32_t> age(score.size(), 0);
  std::vector<ChosenColumn> chosen;
  chosen.reserve(n);
  std::vector<std::int64_t> found;
  while (found.size() < n) {
    std::vector<const ChosenColumn*> all;
    for (const ChosenColumn& column : chosen) all.push_back(&column);
    for (std::size_t s = 0; s < shards.size(); ++s) {
      Bounds stale;
      for (std::size_t j = starts[s]; j < starts[s + 1]; ++j)
        if (score[j] > kTie) stale.column.push_back(j - starts[s]);
      std::sort(stale.column.begin(), stale.column.end(), [&](std::size_t a, std::size_t b) {
        return score[starts[s] + a] > score[starts[s] + b];
      });
      for (std::size_t j : stale.column) {
        stale.bound.push_back(score[starts[s] + j]);
        stale.age.push_back(age[starts[s] + j]);
      }
      shards[s]->with([&](auto& of) { return of.freshen(Criterion::cmim, all, -1.0, stale); });
      for (std::size_t i = 0; i < stale.column.size(); ++i) {
        score[starts[s] + stale.column[i]] = stale.bound[i];
        age[starts[s] + stale.column[i]] = stale.age[i];
      }
    }
    std::size_t best = 0;
    for (std::size_t j = 1; j < score.size(); ++j)
      if (beats(score[j], score[best])) best = j;
    if (!(score[best] > kTie)) break;
    found.push_back(std::int64_t(best));
    score[best] = Tournament::kGone;
    std::size_t owner = 0;
    while (best >= starts[owner + 1]) ++owner;
    chosen.push_back(shards[owner]->chosen(best - starts[owner]));
  }
  return found;
}

int main() {
  std::mt19937 random(0);
  const auto below = [&](std::size_t n) { return std::size_t(random() % n); };
  for (int round = 0; round < 300; ++round) {
    const std::size_t n_rows = 4 + below(150), n_columns = 2 + below(40), n_classes = 2 + below(3);
    std::vector<std::size_t> ends;
    for (std::size_t y = 0; y < n_classes; ++y) ends.push_back(y + 1 == n_classes ? n_rows : 1 + y);
    std::vector<std::int8_t> cells(n_rows * n_columns);
    for (std::size_t j = 0; j < n_columns; ++j) {
      // few and many levels, so that shards meet chosen columns of more levels than their own have
      const std::size_t levels = 1 + below(j % 2 ? 3 : 30);
      for (std::size_t i = 0; i < n_rows; ++i) cells[i * n_columns + j] = std::int8_t(below(levels));
    }
    std::vector<double> weight;
    if (round % 2)
      for (std::size_t p = 0; p < n_rows; ++p) weight.push_back(1.0 + double(below(3)));
    const double* weights = weight.empty() ? nullptr : weight.data();
    const std::vector<std::size_t> starts{0, 1 + below(n_columns - 1), n_columns};
    std::vector<std::unique_ptr<Shard>> shards;
    for (std::size_t s = 0; s < 2; ++s)
      shards.push_back(std::make_unique<Shard>(
          pack(cells, n_columns, starts[s], starts[s + 1] - starts[s], ends), weights));
    Team team(1, [] { return false; });
    const Planes whole = pack(cells, n_columns, 0, n_columns, ends);
    const std::size_t n = 1 + below(n_columns);
    Choice expected = choose(whole, weights, {Criterion::cmim, n, 0}, team);
    expected.columns.resize(expected.informative);
    require(drive(shards, starts, n) == expected.columns, "the choice over shards");
  }
}
