// Joint counts of classes and levels as sums of x(c) = c log c, which is all that entropies need.
#pragma once

#include <algorithm>
#include <cmath>

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
};

// Sums over the classes alone: sum x(y) and x of all rows.
struct Totals {
  double classes = 0, all = 0, rows = 0;
};

// Counts below this are looked up in pairs.
inline constexpr std::size_t kSmall = 64;

// What counting needs to know about the rows.
struct Rows {
  explicit Rows(const Planes& table)
      : stretches(handful::stretches(table.ends)), words(table.words), x(table.ends.back() + 1) {
    for (std::size_t c = 2; c < x.size(); ++c) x[c] = double(c) * std::log(double(c));
    for (std::size_t c = 1; c < x.size(); ++c) step.push_back(x[c] - x[c - 1]);
    std::size_t begin = 0;
    for (std::size_t end : table.ends) {
      in_class.push_back(Count(end - begin));
      begin = end;
    }
    if (*std::max_element(in_class.begin(), in_class.end()) >= kSmall) return;
    for (std::size_t i = 0; i < kSmall * kSmall; ++i)
      x_of_two.push_back(i % kSmall < x.size() && i / kSmall < x.size() ? x[i % kSmall] + x[i / kSmall] : 0);
  }
  Count total() const { return Count(x.size() - 1); }

  std::vector<Stretch> stretches;
  std::size_t words;
  std::vector<double> x;  // c log c
  std::vector<double> step;  // x(c + 1) - x(c)
  std::vector<double> x_of_two;  // x(c) + x(d) at c + kSmall d, where all classes are small
  std::vector<Count> in_class;
};

// A column that was chosen, both ways: its planes and its levels, with its counts by class and level.
struct ChosenBits {
  std::vector<Word> words;
  int n_planes = 0;
  std::vector<std::uint32_t> level;
  std::vector<Count> count;  // [y * levels + b]

  ChosenBits() = default;
  ChosenBits(const Planes& table, std::size_t j) : n_planes(table.columns[j].n_planes) {
    const std::size_t levels = std::size_t(n_planes) + 1;
    std::vector<std::uint8_t> bytes(table.ends.back());
    table.levels_of(j, bytes.data());
    level.assign(bytes.begin(), bytes.end());
    words.resize(std::size_t(n_planes) * table.words);
    count.resize(table.ends.size() * levels);
    for (std::size_t p = 0, y = 0; p < level.size(); ++p) {
      while (p == table.ends[y]) ++y;
      ++count[y * levels + level[p]];
      if (level[p]) words[(level[p] - 1) * table.words + p / kBits] |= Word{1} << (p % kBits);
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
    for (int i = 0; i <= a.n_planes; ++i) sums.own += rows.x[tally[i]];
    return sums;
  }
};

// Two boolean columns.
struct CountBooleans {
  HANDFUL_INLINE static Pair run(const Rows& rows, const Word* a, const ChosenBits& chosen) {
    const Word* b = chosen.words.data();
    const double* x = rows.x.data();
    Count n00 = 0, n01 = 0, n10 = 0, n11 = 0;
    Pair sums;
    for (std::size_t y = 0; y < rows.stretches.size(); ++y) {
      const Stretch& stretch = rows.stretches[y];
      // one pass for both counts: two in a word, since neither reaches 2^32
      const Word counts = add_bits(stretch, [&](std::size_t w, Word mask) {
        const Word here = a[w] & mask;
        return Word(std::popcount(here)) + (Word(std::popcount(here & b[w])) << 32);
      });
      const Count in_a = Count(counts), both = Count(counts >> 32);
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
    const int levels_a = a.n_planes + 1, levels_b = chosen.n_planes + 1;
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
          const Word* b = chosen.words.data() + std::size_t(k - 1) * rows.words;
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

// kGroup columns of few levels beside a chosen one, a lane each. Columns with fewer levels than the
// largest are filled up with empty ones, whose counts are 0.
//
// `words` holds the group's planes, words of the lanes next to each other; `tally` is scratch for the
// counts of (levels of A) x (levels of B) cells, of all rows and of a class. Without classes only
// `two` is counted.
struct CountGroup {
  HANDFUL_INLINE static void run(const Rows& rows, const Word* words, int n_planes,
                                 const ChosenBits& chosen, bool by_class, Lanes* tally, Pair* sums) {
    const int n_cells = (n_planes + 1) * (chosen.n_planes + 1);
    Lanes *all = tally, *here = tally + n_cells;
    double three[kGroup] = {}, two[kGroup] = {};
    const Stretch whole{0, rows.words - 1, ~Word{0}, ~Word{0}};
    if (by_class) {
      for (int i = 0; i < n_cells; ++i) all[i] = {};
      for (std::size_t y = 0; y < rows.stretches.size(); ++y) {
        count(rows, rows.stretches[y], y, y + 1, words, n_planes, chosen, here);
        for (int i = 0; i < n_cells; ++i)
#pragma GCC unroll 1
          for (std::size_t lane = 0; lane < kGroup; ++lane) all[i].at[lane] += here[i].at[lane];
        if (rows.x_of_two.empty()) {
          add(rows.x.data(), here, n_cells, three);
        } else {
          add_pairs(rows.x_of_two.data(), here, n_cells, three);
        }
      }
    } else {
      count(rows, whole, 0, rows.stretches.size(), words, n_planes, chosen, all);
    }
    add(rows.x.data(), all, n_cells, two);
    for (std::size_t lane = 0; lane < kGroup; ++lane) sums[lane] = {three[lane], two[lane]};
  }

 private:
  // The counts of all cells inside a stretch, which is that of the classes [first, last).
  HANDFUL_INLINE static void count(const Rows& rows, const Stretch& stretch, std::size_t first,
                                   std::size_t last, const Word* words, int n_planes,
                                   const ChosenBits& chosen, Lanes* cell) {
    const int levels_b = chosen.n_planes + 1;
    for (int k = 0; k < levels_b; ++k) {
      Word in_b = 0;
      for (std::size_t y = first; y < last; ++y)
        in_b += chosen.count[y * std::size_t(levels_b) + std::size_t(k)];
      for (std::size_t lane = 0; lane < kGroup; ++lane) cell[k].at[lane] = in_b;
    }
    for (int i = 1; i <= n_planes; ++i) {
      const Word* a = words + std::size_t(i - 1) * rows.words * kGroup;
      Lanes* row = cell + i * levels_b;
      row[0] = count_bits(stretch, a, nullptr);
      for (int k = 1; k < levels_b; ++k) {
        row[k] = count_bits(stretch, a, chosen.words.data() + std::size_t(k - 1) * rows.words);
        // what no plane of A, or of B, has is at its level 0
#pragma GCC unroll 1
        for (std::size_t lane = 0; lane < kGroup; ++lane) {
          row[0].at[lane] -= row[k].at[lane];
          cell[k].at[lane] -= row[k].at[lane];
        }
      }
      for (std::size_t lane = 0; lane < kGroup; ++lane) cell[0].at[lane] -= row[0].at[lane];
    }
  }

  // The bits of the lanes' words inside a stretch, those in `b` only where there is one.
  HANDFUL_INLINE static Lanes count_bits(const Stretch& stretch, const Word* a, const Word* b) {
    Lanes sum{};
    for (std::size_t w = stretch.first; w <= stretch.last; ++w) {
      Word mask = b ? b[w] : ~Word{0};
      if (w == stretch.first) mask &= stretch.head;
      if (w == stretch.last) mask &= stretch.tail;
#pragma GCC unroll 1
      for (std::size_t lane = 0; lane < kGroup; ++lane)
        sum.at[lane] += Word(std::popcount(a[w * kGroup + lane] & mask));
    }
    return sum;
  }

  HANDFUL_INLINE static void add(const double* x, const Lanes* cell, int n_cells, double* to) {
    for (int i = 0; i < n_cells; ++i)
      for (std::size_t lane = 0; lane < kGroup; ++lane) to[lane] += x[cell[i].at[lane]];
  }

  HANDFUL_INLINE static void add_pairs(const double* x_of_two, Lanes* cell, int n_cells, double* to) {
    if (n_cells % 2) cell[n_cells] = {};
    for (int i = 0; i < n_cells; i += 2) {
      Lanes both;
#pragma GCC unroll 1
      for (std::size_t lane = 0; lane < kGroup; ++lane)
        both.at[lane] = cell[i].at[lane] + kSmall * cell[i + 1].at[lane];
      for (std::size_t lane = 0; lane < kGroup; ++lane) to[lane] += x_of_two[both.at[lane]];
    }
  }
};

// One column in bytes beside a chosen one, row by row: with many levels most cells are empty, and a
// row costs the same however many there are. `count` and `before` are scratch of a cell for each pair
// of levels; `stride` is the number of levels of A.
struct CountBytes {
  HANDFUL_INLINE static Pair run(const Rows& rows, const std::uint8_t* a, const ChosenBits& chosen,
                                 std::size_t stride, Count* count, Count* before) {
    const std::size_t n_cells = stride * std::size_t(chosen.n_planes + 1);
    const double* step = rows.step.data();
    double three[2] = {}, two[2] = {};
    std::fill_n(count, n_cells, Count{0});
    std::size_t p = 0;
    for (Count in_class : rows.in_class) {
      std::copy_n(count, n_cells, before);
      for (const std::size_t end = p + in_class; p < end; ++p) {
        const std::size_t cell = chosen.level[p] * stride + a[p];
        const Count c = count[cell]++;
        two[p % 2] += step[c];
        three[p % 2] += step[c - before[cell]];
      }
    }
    return {three[0] + three[1], two[0] + two[1]};
  }
};

}  // namespace handful
