// Joint counts of classes and levels as sums of x(c) = c log c, which is all that entropies need.
#pragma once

#include <algorithm>
#include <cmath>

#include "bits.hpp"

namespace handful {

// Columns that are counted side by side, one to a lane.
inline constexpr std::size_t kGroup = 8;

// A word or a count for each of them, in a line of the cache.
struct alignas(64) Lanes {
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
    const auto x_of = [&](std::size_t c) { return c < x.size() ? x[c] : 0.0; };
    for (std::size_t i = 0; i < kSmall * kSmall; ++i)
      x_of_two.push_back(x_of(i % kSmall) + x_of(i / kSmall));
  }
  Count total() const { return Count(x.size() - 1); }

  std::vector<Stretch> stretches;
  std::size_t words;
  std::vector<double> x;  // c log c
  std::vector<double> step;  // x(c + 1) - x(c)
  std::vector<double> x_of_two;  // x(c) + x(d) at c + kSmall d
  std::vector<Count> in_class;
};

// A column that was chosen, both ways: its planes and its levels, with its counts by class and level.
struct ChosenBits {
  std::vector<Word> words;
  int n_planes = 0;
  std::vector<std::uint32_t> level;
  std::vector<Count> count;  // [y * levels + b], and after the last class those of all rows

  ChosenBits() = default;
  ChosenBits(const Planes& table, std::size_t j) : n_planes(table.columns[j].n_planes) {
    const std::size_t levels = std::size_t(n_planes) + 1;
    std::vector<std::uint8_t> bytes(table.ends.back());
    table.levels_of(j, bytes.data());
    level.assign(bytes.begin(), bytes.end());
    words.resize(std::size_t(n_planes) * table.words);
    count.resize((table.ends.size() + 1) * levels);
    for (std::size_t p = 0, y = 0; p < level.size(); ++p) {
      while (p == table.ends[y]) ++y;
      ++count[y * levels + level[p]];
      ++count[table.ends.size() * levels + level[p]];
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

// A chosen column as it is counted beside all others: the rows at each of its levels, class by class
// or all together. In the place of level 0, which the others leave over, stand all rows of the part.
struct ChosenParts {
  struct Part {
    const Count* in_level;
    bool is_small;               // no level has kSmall rows or more
    std::size_t first, n_words;  // where the rows are
    std::size_t masks;           // where theirs begin, n_words for each level
  };

  ChosenParts(const Rows& rows, const ChosenBits& column, bool classes)
      : chosen(column), by_class(classes), words(rows.words) {
    const Count* in_level = chosen.count.data();
    for (const Stretch& stretch : rows.stretches) {
      if (by_class) add(stretch, in_level);
      in_level += levels();
    }
    if (!by_class) add({0, words - 1, ~Word{0}, ~Word{0}}, in_level);
    is_small = has_small_levels(in_level);
  }

  std::size_t levels() const { return std::size_t(chosen.n_planes) + 1; }

  const ChosenBits& chosen;
  bool by_class, is_small;  // of all rows together
  std::size_t words;        // of a plane
  std::vector<Part> parts;
  std::vector<Word> masks;

 private:
  bool has_small_levels(const Count* in_level) const {
    return std::all_of(in_level, in_level + levels(), [](Count c) { return c < kSmall; });
  }

  void add(const Stretch& stretch, const Count* in_level) {
    const std::size_t n_words = stretch.last - stretch.first + 1;
    parts.push_back({in_level, has_small_levels(in_level), stretch.first, n_words, masks.size()});
    for (std::size_t k = 0; k < levels(); ++k) {
      masks.resize(masks.size() + n_words, ~Word{0});
      Word* mask = &masks[masks.size() - n_words];
      if (k) std::copy_n(&chosen.words[(k - 1) * words + stretch.first], n_words, mask);
      mask[0] &= stretch.head;
      mask[n_words - 1] &= stretch.tail;
    }
  }
};

// kGroup columns of few levels beside a chosen one, a lane each. Columns with fewer levels than the
// largest are filled up with empty ones, whose counts are 0.
//
// `words` holds the group's planes, words of the lanes next to each other; `tally` is scratch for the
// counts of (levels of A) x (levels of B) cells, of all rows and of a class. Without classes only
// `two` is counted.
struct CountGroup {
  HANDFUL_INLINE static void run(const Rows& rows, const Lanes* words, int n_planes,
                                 const ChosenParts& chosen, Lanes* tally, Pair* sums) {
    const int n_cells = (n_planes + 1) * int(chosen.levels());
    Lanes *all = tally, *here = tally + n_cells;
    double three[kGroup] = {}, two[kGroup] = {};
    if (chosen.by_class) {
      for (int i = 0; i < n_cells; ++i) all[i] = {};
      for (const ChosenParts::Part& part : chosen.parts) {
        count(words, n_planes, chosen, part, here);
        for (int i = 0; i < n_cells; ++i)
#pragma GCC unroll 1
          for (std::size_t lane = 0; lane < kGroup; ++lane) all[i].at[lane] += here[i].at[lane];
        add(rows, here, n_cells, part.is_small, three);
      }
    } else {
      count(words, n_planes, chosen, chosen.parts.front(), all);
    }
    add(rows, all, n_cells, chosen.is_small, two);
    for (std::size_t lane = 0; lane < kGroup; ++lane) sums[lane] = {three[lane], two[lane]};
  }

 private:
  // The counts of all cells inside a part of the rows.
  HANDFUL_INLINE static void count(const Lanes* words, int n_planes, const ChosenParts& chosen,
                                   const ChosenParts::Part& part, Lanes* cell) {
    const int levels_b = int(chosen.levels());
    for (int k = 0; k < levels_b; ++k)
#pragma GCC unroll 1
      for (std::size_t lane = 0; lane < kGroup; ++lane) cell[k].at[lane] = part.in_level[k];
    for (int i = 1; i <= n_planes; ++i) {
      const Lanes* a = words + std::size_t(i - 1) * chosen.words + part.first;
      const Word* mask = &chosen.masks[part.masks];
      Lanes* row = cell + i * levels_b;
      for (int k = 0; k < levels_b; ++k, mask += part.n_words)
        count_bits(a, mask, part.n_words, row[k]);
      // what no plane of A, or of B, has is at its level 0
      for (int k = 1; k < levels_b; ++k) {
#pragma GCC unroll 1
        for (std::size_t lane = 0; lane < kGroup; ++lane) {
          row[0].at[lane] -= row[k].at[lane];
          cell[k].at[lane] -= row[k].at[lane];
        }
      }
#pragma GCC unroll 1
      for (std::size_t lane = 0; lane < kGroup; ++lane) cell[0].at[lane] -= row[0].at[lane];
    }
  }

  // The bits of the lanes' words that are under the mask.
  HANDFUL_INLINE static void count_bits(const Lanes* a, const Word* mask, std::size_t n_words,
                                        Lanes& to) {
    Word sum[kGroup] = {};
    for (std::size_t w = 0; w < n_words; ++w)
#pragma GCC unroll 1
      for (std::size_t lane = 0; lane < kGroup; ++lane)
        sum[lane] += Word(std::popcount(a[w].at[lane] & mask[w]));
#pragma GCC unroll 1
    for (std::size_t lane = 0; lane < kGroup; ++lane) to.at[lane] = sum[lane];
  }

  HANDFUL_INLINE static void add(const Rows& rows, Lanes* cell, int n_cells, bool is_small,
                                 double* to) {
    if (!is_small) return add_singly(rows.x.data(), cell, n_cells, to);
    if (n_cells % 2) cell[n_cells] = {};
    for (int i = 0; i < n_cells; i += 2) {
      Lanes both;
#pragma GCC unroll 1
      for (std::size_t lane = 0; lane < kGroup; ++lane)
        both.at[lane] = cell[i].at[lane] + kSmall * cell[i + 1].at[lane];
      for (std::size_t lane = 0; lane < kGroup; ++lane) to[lane] += rows.x_of_two[both.at[lane]];
    }
  }

  HANDFUL_INLINE static void add_singly(const double* x, const Lanes* cell, int n_cells,
                                        double* to) {
    for (int i = 0; i < n_cells; ++i)
      for (std::size_t lane = 0; lane < kGroup; ++lane) to[lane] += x[cell[i].at[lane]];
  }
};

// One column in bytes beside a chosen one, row by row: with many levels most cells are empty, and a
// row costs the same however many there are. `cell` is scratch for each pair of levels. Without classes
// only `two` is counted.
template <bool by_class>
struct CountBytes {
  HANDFUL_INLINE static Pair run(const Rows& rows, Column column, const ChosenBits& chosen,
                                 Word* cell) {
    const std::size_t stride = std::size_t(column.n_planes) + 1;
    const std::size_t n_cells = stride * (std::size_t(chosen.n_planes) + 1);
    const auto* a = reinterpret_cast<const std::uint8_t*>(column.planes);
    const std::uint32_t* b = chosen.level.data();
    const double* step = rows.step.data();
    const std::size_t n_parts = by_class ? rows.in_class.size() : 1;
    Pair sums;
    std::fill_n(cell, n_cells, Word{0});
    for (std::size_t y = 0; y < n_parts; ++y) {
      const std::size_t n = by_class ? rows.in_class[y] : rows.total();
      if (y)  // two counts in a word: of all rows, and of the class
        for (std::size_t i = 0; i < n_cells; ++i) cell[i] &= ~Word{0} << 32;
      double three[2] = {}, two[2] = {};  // by turns, so that no sum waits for the other
      const auto add = [&](std::size_t p, int turn) {
        Word& both = cell[b[p] * stride + a[p]];
        const Word before = both;
        if constexpr (by_class) three[turn] += step[Count(before)];
        two[turn] += step[before >> 32];
        both = before + (Word{1} << 32) + 1;
      };
      for (std::size_t p = 0; p + 1 < n; p += 2) add(p, 0), add(p + 1, 1);
      if (n % 2) add(n - 1, 0);
      sums.three += three[0] + three[1];
      sums.two += two[0] + two[1];
      a += n, b += n;
    }
    return sums;
  }
};

}  // namespace handful
