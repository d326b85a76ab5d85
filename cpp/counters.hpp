// Who counts: bits and bytes, each row once, or rows with weights.
#pragma once

#include <algorithm>

#include "counts.hpp"

namespace handful {

// Counts of rows, from bits and bytes.
class BitCounter {
 public:
  BitCounter(const Planes& table, int threads)
      : table_(table), rows_(table), scratch_(std::size_t(threads)) {
    for (const Column& column : table.columns)
      most_levels_ = std::max(most_levels_, std::size_t(column.n_planes) + 1);
    expect(most_levels_);
    totals = {0, rows_.x.back(), double(rows_.total())};
    for (Count rows : rows_.in_class) totals.classes += rows_.x[rows];
  }

  using Chosen = ChosenBits;
  using Beside = ChosenParts;
  Totals totals;

  // Makes room for chosen columns of so many levels, where they come from another table.
  void expect(std::size_t chosen_levels) {
    if (chosen_levels <= expected_) return;
    expected_ = chosen_levels;
    const std::size_t few = std::min(most_levels_, kMostPlanes + 1);
    for (Scratch& scratch : scratch_) {
      scratch.count.resize((few + 1) * expected_);
      scratch.cell.resize(most_levels_ * expected_);
      scratch.tally.resize(2 * few * expected_ + 1);
      scratch.words.resize(few * rows_.words);
    }
  }

  Single single(std::size_t j, int worker) {
    Scratch& scratch = scratch_[std::size_t(worker)];
    if (!table_.is_bytes(j))
      return widest<CountSingle>(rows_, table_.columns[j], scratch.count.data());
    scratch.alone.level.assign(rows_.total(), 0);  // beside a column of one level
    const Pair sums = bytes(j, scratch.alone, true, scratch);
    return {sums.two, sums.three};
  }

  Chosen chosen(std::size_t j) const { return Chosen(table_, j); }

  Pair pair(std::size_t j, const Chosen& chosen, int worker) {
    Scratch& scratch = scratch_[std::size_t(worker)];
    if (table_.is_bytes(j)) return bytes(j, chosen, true, scratch);
    const Column& column = table_.columns[j];
    if (column.n_planes == 1 && chosen.n_planes == 1)
      return widest<CountBooleans>(rows_, column.planes, chosen);
    return widest<CountLevels>(rows_, column, chosen, scratch.count.data());
  }

  // What is chosen, for `pairs`; without classes these give `two` alone.
  Beside beside(const Chosen& chosen, bool by_class) const { return {rows_, chosen, by_class}; }

  // Columns [first, first + n), n <= kGroup.
  void pairs(std::size_t first, std::size_t n, const Beside& beside, int worker, Pair* sums) {
    Scratch& scratch = scratch_[std::size_t(worker)];
    std::size_t most = 0;
    for (std::size_t lane = 0; lane < n; ++lane) most = std::max(most, lane_words(first + lane));
    for (std::size_t lane = 0; lane < kGroup; ++lane) {
      const std::size_t here = lane < n ? lane_words(first + lane) : 0;
      for (std::size_t i = 0; i < most; ++i)
        scratch.words[i].at[lane] = i < here ? table_.columns[first + lane].planes[i] : 0;
    }
    const Lanes* words = scratch.words.data();
    const int n_planes = int(most / rows_.words);
    if (n_planes)
      widest<CountGroup>(rows_, words, n_planes, beside, scratch.tally.data(), sums);
    for (std::size_t lane = 0; lane < n; ++lane)
      if (table_.is_bytes(first + lane))
        sums[lane] = bytes(first + lane, beside.chosen, beside.by_class, scratch);
  }

  // Says that column j will be counted soon, first where it is and then what it holds.
  void announce(std::size_t j) const {
#ifdef __GNUC__
    __builtin_prefetch(&table_.columns[j]);
#endif
  }

  void fetch(std::size_t j) const {
#ifdef __GNUC__
    const Word* begin = table_.columns[j].planes;
    const Word* end = begin + table_.words_of(j);
    for (const Word* line = begin; line < end; line += 8) __builtin_prefetch(line);
#endif
  }

 private:
  struct Scratch {
    std::vector<Count> count;
    std::vector<Word> cell;
    std::vector<Lanes> tally;
    std::vector<Lanes> words;
    ChosenBits alone;
  };

  std::size_t lane_words(std::size_t j) const { return table_.is_bytes(j) ? 0 : table_.words_of(j); }

  Pair bytes(std::size_t j, const Chosen& chosen, bool by_class, Scratch& scratch) {
    const Column& column = table_.columns[j];
    if (!by_class) return widest<CountBytes<false>>(rows_, column, chosen, scratch.cell.data());
    return widest<CountBytes<true>>(rows_, column, chosen, scratch.cell.data());
  }

  const Planes& table_;
  Rows rows_;
  std::size_t most_levels_ = 1, expected_ = 0;
  std::vector<Scratch> scratch_;  // of each thread
};

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
  using Beside = Chosen;
  Totals totals;

  Single single(std::size_t j, int worker) {
    const Chosen alone(class_of_.size(), 0);
    const Pair sums = pair(j, alone, worker);
    return {sums.two, sums.three};
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
    const std::size_t n_classes = table_.ends.size(), n_a = std::size_t(table_.levels(j));
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

  const Beside& beside(const Chosen& chosen, bool) const { return chosen; }

  void pairs(std::size_t first, std::size_t n, const Beside& chosen, int worker, Pair* sums) {
    for (std::size_t lane = 0; lane < n; ++lane) sums[lane] = pair(first + lane, chosen, worker);
  }

  void expect(std::size_t) const {}
  void announce(std::size_t) const {}
  void fetch(std::size_t) const {}

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
