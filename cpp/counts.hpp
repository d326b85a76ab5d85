// Joint counts of classes and levels, from planes of bits or row by row with weights, as sums of
// x(c) = c log c: all that entropies need.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "bits.hpp"

namespace handful {

// Columns that are counted side by side, one to a lane.
inline constexpr std::size_t kGroup = 8;

// A count for each of them.
struct Lanes {
  Word at[kGroup];
};

// sum x(y, a, b) and sum x(a, b) of two columns.
struct Pair {
  double three = 0, two = 0;
};

// sum x(a) and sum x(y, a) of one column.
struct Single {
  double own = 0, with_class = 0;
  bool constant = false;
};

// Sums over the classes alone: sum x(y) and x of all rows.
struct Totals {
  double classes = 0, all = 0, rows = 0;
};

// A column: its planes one after the other.
struct Column {
  const Word* planes;
  int n_planes;
};

// ---- counting bits ----

// What counting needs to know about the rows.
struct Rows {
  explicit Rows(const Planes& table)
      : stretches(handful::stretches(table.ends)), words(table.words), x(table.ends.back() + 1) {
    for (std::size_t c = 2; c < x.size(); ++c) x[c] = double(c) * std::log(double(c));
    std::size_t begin = 0;
    for (std::size_t end : table.ends) {
      in_class.push_back(Count(end - begin));
      begin = end;
    }
  }
  Count total() const { return Count(x.size() - 1); }

  std::vector<Stretch> stretches;
  std::size_t words;
  std::vector<double> x;  // c log c
  std::vector<Count> in_class;
};

// A column that was chosen: its planes, and its counts by class and level.
struct ChosenBits {
  Column column;
  std::vector<Count> count;  // [y * levels + b]

  ChosenBits(const Rows& rows, Column b) : column(b) {
    const std::size_t levels = std::size_t(b.n_planes) + 1;
    for (std::size_t y = 0; y < rows.stretches.size(); ++y) {
      Count rest = rows.in_class[y];
      count.push_back(0);
      for (std::size_t i = 1; i < levels; ++i) {
        const Word* plane = b.planes + (i - 1) * rows.words;
        count.push_back(count_bits(rows.stretches[y], [&](std::size_t w) { return plane[w]; }));
        rest -= count.back();
      }
      count[y * levels] = rest;
    }
  }
};

// One column by itself. `tally` is scratch, a count per level.
struct CountSingle {
  HANDFUL_INLINE static Single run(const Rows& rows, Column a, Count* tally) {
    Single sums;
    for (int i = 0; i <= a.n_planes; ++i) tally[i] = 0;
    for (std::size_t y = 0; y < rows.stretches.size(); ++y) {
      Count rest = rows.in_class[y];
      for (int i = 0; i < a.n_planes; ++i) {
        const Word* plane = a.planes + std::size_t(i) * rows.words;
        const Count c = count_bits(rows.stretches[y], [&](std::size_t w) { return plane[w]; });
        sums.with_class += rows.x[c];
        tally[i + 1] += c;
        rest -= c;
      }
      sums.with_class += rows.x[rest];
      tally[0] += rest;
    }
    for (int i = 0; i <= a.n_planes; ++i) {
      sums.own += rows.x[tally[i]];
      sums.constant |= tally[i] == rows.total();
    }
    return sums;
  }
};

// Two boolean columns.
struct CountBooleans {
  HANDFUL_INLINE static Pair run(const Rows& rows, const Word* a, const ChosenBits& chosen) {
    const Word* b = chosen.column.planes;
    const double* x = rows.x.data();
    Count n00 = 0, n01 = 0, n10 = 0, n11 = 0;
    Pair sums;
    for (std::size_t y = 0; y < rows.stretches.size(); ++y) {
      const Stretch& stretch = rows.stretches[y];
      const Count in_a = count_bits(stretch, [&](std::size_t w) { return a[w]; });
      const Count both = count_bits(stretch, [&](std::size_t w) { return a[w] & b[w]; });
      const Count c10 = in_a - both, c01 = chosen.count[2 * y + 1] - both;
      const Count c00 = rows.in_class[y] - both - c10 - c01;
      sums.three += x[both] + x[c10] + x[c01] + x[c00];
      n11 += both, n10 += c10, n01 += c01, n00 += c00;
    }
    sums.two = x[n11] + x[n10] + x[n01] + x[n00];
    return sums;
  }
};

// Two columns of any number of levels. `tally` is scratch for the counts of (levels of A) x (levels of
// B) cells and a row of levels of B.
struct CountLevels {
  HANDFUL_INLINE static Pair run(const Rows& rows, Column a, const ChosenBits& chosen, Count* tally) {
    const int levels_a = a.n_planes + 1, levels_b = chosen.column.n_planes + 1;
    Count* left = tally + levels_a * levels_b;
    for (int i = 0; i < levels_a * levels_b; ++i) tally[i] = 0;
    Pair sums;
    for (std::size_t y = 0; y < rows.stretches.size(); ++y) {
      const Stretch& stretch = rows.stretches[y];
      const Count* in_b = &chosen.count[y * std::size_t(levels_b)];
      // row by row of the table of counts: what no plane of A has is left for level 0
      for (int k = 0; k < levels_b; ++k) left[k] = in_b[k];
      for (int i = 1; i < levels_a; ++i) {
        const Word* in_a = a.planes + std::size_t(i - 1) * rows.words;
        Count rest = count_bits(stretch, [&](std::size_t w) { return in_a[w]; });
        for (int k = 1; k < levels_b; ++k) {
          const Word* b = chosen.column.planes + std::size_t(k - 1) * rows.words;
          const Count both = count_bits(stretch, [&](std::size_t w) { return in_a[w] & b[w]; });
          sums.three += rows.x[both];
          tally[i * levels_b + k] += both;
          left[k] -= both;
          rest -= both;
        }
        sums.three += rows.x[rest];
        tally[i * levels_b] += rest;
        left[0] -= rest;
      }
      for (int k = 0; k < levels_b; ++k) sums.three += rows.x[left[k]], tally[k] += left[k];
    }
    for (int i = 0; i < levels_a * levels_b; ++i) sums.two += rows.x[tally[i]];
    return sums;
  }
};

// kGroup columns of any number of levels beside a chosen one, a lane each. Columns with fewer levels
// than the largest are filled up with empty ones, whose counts are 0.
//
// `words` holds the group's planes, words of the lanes next to each other; `tally` is scratch for the
// counts of (levels of A) x (levels of B) cells and a row of levels of B, a lane each. Without
// classes only `two` is counted.
struct CountGroup {
  HANDFUL_INLINE static void run(const Rows& rows, const Word* words, int n_planes,
                                 const ChosenBits& chosen, bool by_class, Lanes* tally, Pair* sums) {
    const int levels_a = n_planes + 1, levels_b = chosen.column.n_planes + 1;
    const double* x = rows.x.data();
    Lanes* cell = tally;
    Lanes* left = cell + levels_a * levels_b;
    for (int i = 0; i < levels_a * levels_b; ++i) clear(cell[i]);
    double three[kGroup] = {}, two[kGroup] = {};
    const std::size_t n_classes = by_class ? rows.stretches.size() : 1;
    for (std::size_t y = 0; y < n_classes; ++y) {
      const Stretch whole{0, rows.words - 1, ~Word{0}, ~Word{0}};
      const Stretch& stretch = by_class ? rows.stretches[y] : whole;
      for (int k = 0; k < levels_b; ++k) {
        Word in_b = 0;
        for (std::size_t z = by_class ? y : 0; z < (by_class ? y + 1 : rows.stretches.size()); ++z)
          in_b += chosen.count[z * std::size_t(levels_b) + std::size_t(k)];
        for (std::size_t lane = 0; lane < kGroup; ++lane) left[k].at[lane] = in_b;
      }
      for (int i = 1; i < levels_a; ++i) {
        const Word* a = words + std::size_t(i - 1) * rows.words * kGroup;
        Lanes rest;
        clear(rest);
        count(stretch, a, nullptr, rest);
        for (int k = 1; k < levels_b; ++k) {
          Lanes both;
          clear(both);
          count(stretch, a, chosen.column.planes + std::size_t(k - 1) * rows.words, both);
          take(both, x, by_class, cell[i * levels_b + k], left[k], rest, three);
        }
        // what no plane of B has is at its level 0
        for (std::size_t lane = 0; lane < kGroup; ++lane) {
          cell[i * levels_b].at[lane] += rest.at[lane];
          left[0].at[lane] -= rest.at[lane];
          if (by_class) three[lane] += x[rest.at[lane]];
        }
      }
      for (int k = 0; k < levels_b; ++k)
        for (std::size_t lane = 0; lane < kGroup; ++lane) {
          cell[k].at[lane] += left[k].at[lane];
          if (by_class) three[lane] += x[left[k].at[lane]];
        }
    }
    for (int i = 0; i < levels_a * levels_b; ++i)
      for (std::size_t lane = 0; lane < kGroup; ++lane) two[lane] += x[cell[i].at[lane]];
    for (std::size_t lane = 0; lane < kGroup; ++lane) sums[lane] = {three[lane], two[lane]};
  }

 private:
  HANDFUL_INLINE static void clear(Lanes& lanes) {
    for (std::size_t lane = 0; lane < kGroup; ++lane) lanes.at[lane] = 0;
  }

  // Adds the bits of the lanes' words inside a stretch, those in `b` only where there is one.
  HANDFUL_INLINE static void count(const Stretch& stretch, const Word* a, const Word* b, Lanes& to) {
    Word sum[kGroup] = {};
    for (std::size_t w = stretch.first; w <= stretch.last; ++w) {
      Word mask = b ? b[w] : ~Word{0};
      if (w == stretch.first) mask &= stretch.head;
      if (w == stretch.last) mask &= stretch.tail;
#pragma GCC unroll 1
      for (std::size_t lane = 0; lane < kGroup; ++lane)
        sum[lane] += Word(std::popcount(a[w * kGroup + lane] & mask));
    }
    for (std::size_t lane = 0; lane < kGroup; ++lane) to.at[lane] += sum[lane];
  }

  HANDFUL_INLINE static void take(const Lanes& both, const double* x, bool by_class, Lanes& cell,
                                  Lanes& left, Lanes& rest, double* three) {
#pragma GCC unroll 1
    for (std::size_t lane = 0; lane < kGroup; ++lane) {
      cell.at[lane] += both.at[lane];
      left.at[lane] -= both.at[lane];
      rest.at[lane] -= both.at[lane];
    }
    if (by_class)
      for (std::size_t lane = 0; lane < kGroup; ++lane) three[lane] += x[both.at[lane]];
  }
};

// Counts of bits, each row once.
class BitCounter {
 public:
  explicit BitCounter(const Planes& table, int threads) : table_(table), rows_(table) {
    std::size_t most = 1;
    for (std::uint8_t planes : table.planes) most = std::max(most, std::size_t(planes) + 1);
    count_.assign(std::size_t(threads), std::vector<Count>(most * (most + 1)));
    tally_.assign(std::size_t(threads), std::vector<Lanes>(most * (most + 1)));
    words_.assign(std::size_t(threads), std::vector<Word>(most * rows_.words * kGroup));
    totals = {0, rows_.x.back(), double(rows_.total())};
    for (Count rows : rows_.in_class) totals.classes += rows_.x[rows];
  }

  using Chosen = ChosenBits;
  Totals totals;

  Single single(std::size_t j, int worker) {
    return widest<CountSingle>(rows_, column(j), count_[std::size_t(worker)].data());
  }

  Chosen chosen(std::size_t j) const { return Chosen(rows_, column(j)); }

  Pair pair(std::size_t j, const Chosen& chosen, int worker) {
    if (table_.planes[j] == 1 && chosen.column.n_planes == 1)
      return widest<CountBooleans>(rows_, table_.first[j], chosen);
    return widest<CountLevels>(rows_, column(j), chosen, count_[std::size_t(worker)].data());
  }

  // Columns [first, first + n), n <= kGroup.
  void pairs(std::size_t first, std::size_t n, const Chosen& chosen, bool by_class, int worker,
             Pair* sums) {
    Word* words = words_[std::size_t(worker)].data();
    int most = 0;
    for (std::size_t lane = 0; lane < n; ++lane) most = std::max(most, int(table_.planes[first + lane]));
    const std::size_t length = std::size_t(most) * rows_.words;
    for (std::size_t lane = 0; lane < kGroup; ++lane) {
      const std::size_t here = lane < n ? table_.planes[first + lane] * rows_.words : 0;
      for (std::size_t i = 0; i < here; ++i) words[i * kGroup + lane] = table_.first[first + lane][i];
      for (std::size_t i = here; i < length; ++i) words[i * kGroup + lane] = 0;
    }
    widest<CountGroup>(rows_, words, most, chosen, by_class, tally_[std::size_t(worker)].data(), sums);
  }

  void prefetch(std::size_t j) const {
#ifdef __GNUC__
    const Word* end = table_.first[j] + table_.planes[j] * table_.words;
    for (const Word* line = table_.first[j]; line < end; line += 8) __builtin_prefetch(line);
#endif
  }

 private:
  Column column(std::size_t j) const { return {table_.first[j], table_.planes[j]}; }

  const Planes& table_;
  Rows rows_;
  // scratch of each thread
  std::vector<std::vector<Count>> count_;
  std::vector<std::vector<Lanes>> tally_;
  std::vector<std::vector<Word>> words_;
};

// ---- counting weights ----

// Sums of weights: the same, row by row.
class WeightCounter {
 public:
  // `weight` is by position.
  WeightCounter(const Planes& table, const double* weight, int threads)
      : table_(table), weight_(weight), scratch_(std::size_t(threads)) {
    std::size_t p = 0;
    for (std::size_t y = 0; y < table.ends.size(); ++y) {
      double sum = 0;
      for (; p < table.ends[y]; ++p) {
        class_of_.push_back(std::uint32_t(y));
        sum += weight[p];
      }
      totals.classes += x(sum);
      totals.rows += sum;
    }
    totals.all = x(totals.rows);
  }

  // A column that was chosen: the level of each row.
  using Chosen = std::vector<std::uint8_t>;
  Totals totals;

  Single single(std::size_t j, int worker) {
    const Chosen alone(class_of_.size(), 0);
    const Pair sums = pair(j, alone, worker);
    return {sums.two, sums.three, table_.planes[j] == 0 || sums.two == totals.all};
  }

  Chosen chosen(std::size_t j) const {
    Chosen level(class_of_.size());
    table_.levels_of(j, level.data());
    return level;
  }

  Pair pair(std::size_t j, const Chosen& chosen, int worker) {
    auto& [level, sums] = scratch_[std::size_t(worker)];
    level.resize(class_of_.size());
    table_.levels_of(j, level.data());
    const std::size_t n_classes = table_.ends.size(), n_a = std::size_t(table_.planes[j]) + 1;
    const std::size_t n_b = std::size_t(*std::max_element(chosen.begin(), chosen.end())) + 1;
    sums.assign(n_a * n_b * n_classes, 0);
    for (std::size_t p = 0; p < level.size(); ++p)
      sums[(chosen[p] * n_a + level[p]) * n_classes + class_of_[p]] += weight_[p];
    Pair found;
    for (std::size_t cell = 0; cell < n_a * n_b; ++cell) {
      double all = 0;
      for (std::size_t y = 0; y < n_classes; ++y) {
        found.three += x(sums[cell * n_classes + y]);
        all += sums[cell * n_classes + y];
      }
      found.two += x(all);
    }
    return found;
  }

  void pairs(std::size_t first, std::size_t n, const Chosen& chosen, bool, int worker, Pair* sums) {
    for (std::size_t lane = 0; lane < n; ++lane) sums[lane] = pair(first + lane, chosen, worker);
  }

  void prefetch(std::size_t) const {}

 private:
  static double x(double sum) { return sum > 0 ? sum * std::log(sum) : 0; }

  struct Scratch {
    std::vector<std::uint8_t> level;
    std::vector<double> sums;
  };

  const Planes& table_;
  const double* weight_;
  std::vector<std::uint32_t> class_of_;
  std::vector<Scratch> scratch_;
};

}  // namespace handful
