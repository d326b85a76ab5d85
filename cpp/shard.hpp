// Some of a table's columns, as a worker keeps them for a choice that is driven from elsewhere.
//
// The driver knows a bound of every column and which columns were chosen; a shard counts. Every
// answer is a function of what is asked, so that it may be asked again, of another worker.
#pragma once

#include <mutex>
#include <variant>

#include "information.hpp"

namespace handful {

// One column of a table as a table of its own.
inline Planes only(const Planes& table, std::size_t j) {
  const Column& column = table.columns[j];
  Block block{{column.planes, column.planes + table.words_of(j)}, {std::uint8_t(column.n_planes)}};
  std::vector<Block> blocks;
  blocks.push_back(std::move(block));
  return assemble(table.ends, std::move(blocks));
}

// A chosen column, ready to be counted beside others, with its sums.
struct ChosenColumn {
  ChosenColumn(const Planes& of_one, const Single& sums, bool weighted) : column(of_one), single(sums) {
    if (!weighted) {
      counts = ChosenBits(column, 0);
    } else {
      column.levels_of(0, counts.emplace<WeightCounter::Chosen>(column.ends.back()).data());
    }
  }

  bool is_weighted() const { return counts.index() == 1; }

  Planes column;
  Single single;
  std::variant<ChosenBits, WeightCounter::Chosen> counts;
};

// Columns whose score may have fallen, by falling bound. `age` is how many of the chosen columns
// each bound knows of.
struct Bounds {
  std::vector<std::size_t> column;
  std::vector<double> bound;
  std::vector<std::uint32_t> age;
};

template <class Counter>
class ShardOf {
 public:
  template <class... Weight>
  explicit ShardOf(const Planes& table, Weight... weight) : counter_(table, weight..., 1) {
    for (std::size_t j = 0; j < table.size(); ++j) single_.push_back(counter_.single(j, 0));
  }

  // I(Y; A) of each column; minus infinity where it is constant.
  std::vector<double> relevances() const {
    std::vector<double> found;
    for (const Single& one : single_)
      found.push_back(is_constant(counter_.totals, one) ? Tournament::kGone
                                                        : relevance(counter_.totals, one));
    return found;
  }

  const Single& single(std::size_t j) const { return single_[j]; }

  // The term of every column beside the chosen one.
  std::vector<double> terms(Criterion criterion, const ChosenColumn& chosen) {
    const bool by_class = criterion != Criterion::mrmr && criterion != Criterion::mrmr_quotient;
    const auto& beside = counter_.beside(counts_of(chosen), by_class);
    std::vector<double> found(single_.size());
    Pair pairs[kGroup];
    for (std::size_t j = 0; j < found.size(); j += kGroup) {
      const std::size_t n = std::min(kGroup, found.size() - j);
      counter_.pairs(j, n, beside, 0, pairs);
      for (std::size_t lane = 0; lane < n; ++lane)
        found[j + lane] = term(criterion, counter_.totals, single_[j + lane], chosen.single, pairs[lane]);
    }
    return found;
  }

  // Brings bounds up to date, best first, for as long as they are not below `floor` or the best of
  // those that are up to date by more than ties matter. Returns how often a column was counted.
  std::uint64_t freshen(Criterion criterion, const std::vector<const ChosenColumn*>& chosen,
                        double floor, Bounds& stale) {
    std::uint64_t evaluations = 0;
    for (std::size_t i = 0; i < stale.column.size(); ++i) {
      if (i + kAhead < stale.column.size()) counter_.fetch(stale.column[i + kAhead]);
      const std::size_t j = stale.column[i];
      double& bound = stale.bound[i];
      std::uint32_t& age = stale.age[i];
      for (; age < chosen.size() && !(bound < floor); ++age, ++evaluations) {
        const ChosenColumn& beside = *chosen[age];
        const Pair pair = counter_.pair(j, counts_of(beside), 0);
        bound = std::min(bound, term(criterion, counter_.totals, single_[j], beside.single, pair));
      }
      if (age == chosen.size()) floor = std::max(floor, bound - 2 * kTie * std::max(1.0, bound));
    }
    return evaluations;
  }

 private:
  const typename Counter::Chosen& counts_of(const ChosenColumn& chosen) {
    counter_.expect(std::size_t(chosen.column.levels(0)));
    return std::get<typename Counter::Chosen>(chosen.counts);
  }

  static constexpr std::size_t kAhead = 4;  // columns whose bits are fetched ahead

  Counter counter_;
  std::vector<Single> single_;
};

// Either kind, asked by one thread at a time.
class Shard {
 public:
  Shard(const Planes& table, const double* weight)
      : table_(table), weight_(weight, weight ? weight + table.ends.back() : weight) {
    if (weight) {
      of_.template emplace<ShardOf<WeightCounter>>(table_, weight_.data());
    } else {
      of_.template emplace<ShardOf<BitCounter>>(table_);
    }
  }
  Shard(const Shard&) = delete;

  // work(shard), which counts bits or weights.
  template <class Work>
  auto with(Work&& work) {
    const std::scoped_lock lock(mutex_);
    if (auto* weights = std::get_if<ShardOf<WeightCounter>>(&of_)) return work(*weights);
    return work(std::get<ShardOf<BitCounter>>(of_));
  }

  ChosenColumn chosen(std::size_t j) {
    const Single single = with([&](auto& of) { return of.single(j); });
    return ChosenColumn(only(table_, j), single, !weight_.empty());
  }

  const Planes& table() const { return table_; }

 private:
  Planes table_;
  std::vector<double> weight_;
  std::mutex mutex_;
  std::variant<std::monostate, ShardOf<BitCounter>, ShardOf<WeightCounter>> of_;
};

}  // namespace handful
