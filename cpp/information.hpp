// Information about the classes, from planes of bits, and the greedy choice that asks for little.
//
// Everything is in nats and from plain frequencies. With x(c) = c log c and T rows, an entropy is
// log T - sum x(counts) / T, so informations are sums of table look-ups:
//   I(Y; A)     = (sum x(y, a) - sum x(a) - sum x(y) + x(T)) / T
//   I(Y; A | B) = (sum x(y, a, b) - sum x(a, b) - sum x(y, b) + sum x(b)) / T
#pragma once

#include <cmath>
#include <limits>

#include "bits.hpp"
#include "parallel.hpp"

namespace handful {

// A difference of entropies this small is rounding; so is one between two scores (relative above 1).
inline constexpr double kTie = 1e-12;

inline bool beats(double a, double b) {
  if (std::isinf(b)) return a > b;
  return a - b > kTie * std::max({1.0, std::abs(a), std::abs(b)});
}

// What scoring needs to know about the rows.
class Rows {
 public:
  explicit Rows(const std::vector<std::size_t>& ends)
      : stretches(handful::stretches(ends)), total(ends.back()), plogp(total + 1) {
    for (std::size_t c = 2; c <= total; ++c) plogp[c] = double(c) * std::log(double(c));
    std::size_t begin = 0;
    for (std::size_t end : ends) {
      class_rows.push_back(Count(end - begin));
      of_classes += plogp[end - begin];
      begin = end;
    }
  }

  std::vector<Stretch> stretches;
  std::size_t total;
  std::vector<double> plogp;
  std::vector<Count> class_rows;
  double of_classes = 0;  // sum x(y)
};

// A column: its planes one after the other.
struct Column {
  const Word* planes;
  int n_planes;
};

// I(Y; A), or minus infinity where A is constant. `tally` is scratch, a count per level.
struct Information {
  HANDFUL_INLINE static double run(const Rows& rows, Column a, std::size_t n_words, Count* tally) {
    for (int i = 0; i <= a.n_planes; ++i) tally[i] = 0;
    double joint = 0;
    for (std::size_t y = 0; y < rows.stretches.size(); ++y) {
      Count rest = rows.class_rows[y];
      for (int i = 0; i < a.n_planes; ++i) {
        const Word* plane = a.planes + std::size_t(i) * n_words;
        const Count c = count_bits(rows.stretches[y], [&](std::size_t w) { return plane[w]; });
        joint += rows.plogp[c];
        tally[i + 1] += c;
        rest -= c;
      }
      joint += rows.plogp[rest];
      tally[0] += rest;
    }
    double alone = 0;
    for (int i = 0; i <= a.n_planes; ++i) {
      if (tally[i] == rows.total) return -std::numeric_limits<double>::infinity();
      alone += rows.plogp[tally[i]];
    }
    const double sum = joint - alone - rows.of_classes + rows.plogp[rows.total];
    return std::max(0.0, sum / double(rows.total));
  }
};

// A chosen column with what does not depend on the candidates: its counts in each class, level by
// level, and sum x(y, b) - sum x(b).
struct Chosen {
  Column column;
  std::vector<Count> in_class;  // [y * levels + b]
  double own;

  Chosen(const Rows& rows, Column b, std::size_t n_words) : column(b), own(0) {
    const std::size_t levels = std::size_t(b.n_planes) + 1;
    in_class.resize(rows.stretches.size() * levels);
    std::vector<Count> tally(levels);
    for (std::size_t y = 0; y < rows.stretches.size(); ++y) {
      Count* here = &in_class[y * levels];
      here[0] = rows.class_rows[y];
      for (std::size_t i = 1; i < levels; ++i) {
        const Word* plane = b.planes + (i - 1) * n_words;
        here[i] = count_bits(rows.stretches[y], [&](std::size_t w) { return plane[w]; });
        here[0] -= here[i];
      }
      for (std::size_t i = 0; i < levels; ++i) own += rows.plogp[here[i]], tally[i] += here[i];
    }
    for (Count c : tally) own -= rows.plogp[c];
  }
};

// I(Y; A | B) of boolean columns.
struct BooleanConditional {
  HANDFUL_INLINE static double run(const Rows& rows, const Word* a, const Chosen& chosen) {
    const Word* b = chosen.column.planes;
    const double* x = rows.plogp.data();
    Count n00 = 0, n01 = 0, n10 = 0, n11 = 0;
    double joint = 0;
    for (std::size_t y = 0; y < rows.stretches.size(); ++y) {
      const Stretch& stretch = rows.stretches[y];
      const Count in_a = count_bits(stretch, [&](std::size_t w) { return a[w]; });
      const Count both = count_bits(stretch, [&](std::size_t w) { return a[w] & b[w]; });
      const Count c10 = in_a - both, c01 = chosen.in_class[2 * y + 1] - both;
      const Count c00 = rows.class_rows[y] - both - c10 - c01;
      joint += x[both] + x[c10] + x[c01] + x[c00];
      n11 += both, n10 += c10, n01 += c01, n00 += c00;
    }
    const double pairs = x[n11] + x[n10] + x[n01] + x[n00];
    return std::max(0.0, (joint - pairs - chosen.own) / double(rows.total));
  }
};

// I(Y; A | B) for any number of levels. `tally` is scratch of (levels of A) x (levels of B), `left`
// of the levels of B.
struct Conditional {
  HANDFUL_INLINE static double run(const Rows& rows, Column a, const Chosen& chosen,
                                   std::size_t n_words, Count* tally) {
    const int levels_a = a.n_planes + 1, levels_b = chosen.column.n_planes + 1;
    Count* left = tally + levels_a * levels_b;
    for (int i = 0; i < levels_a * levels_b; ++i) tally[i] = 0;
    double joint = 0;
    for (std::size_t y = 0; y < rows.stretches.size(); ++y) {
      const Stretch& stretch = rows.stretches[y];
      // row by row of the table of counts: what no plane of A has is left for level 0
      for (int k = 0; k < levels_b; ++k) left[k] = chosen.in_class[y * std::size_t(levels_b) + std::size_t(k)];
      for (int i = 1; i < levels_a; ++i) {
        const Word* plane_a = a.planes + std::size_t(i - 1) * n_words;
        Count rest = count_bits(stretch, [&](std::size_t w) { return plane_a[w]; });
        for (int k = 1; k < levels_b; ++k) {
          const Word* plane_b = chosen.column.planes + std::size_t(k - 1) * n_words;
          const Count c =
              count_bits(stretch, [&](std::size_t w) { return plane_a[w] & plane_b[w]; });
          joint += rows.plogp[c];
          tally[i * levels_b + k] += c;
          left[k] -= c;
          rest -= c;
        }
        joint += rows.plogp[rest];
        tally[i * levels_b] += rest;
        left[0] -= rest;
      }
      for (int k = 0; k < levels_b; ++k) joint += rows.plogp[left[k]], tally[k] += left[k];
    }
    double pairs = 0;
    for (int i = 0; i < levels_a * levels_b; ++i) pairs += rows.plogp[tally[i]];
    return std::max(0.0, (joint - pairs - chosen.own) / double(rows.total));
  }
};

// The largest of 64 numbers.
struct Largest {
  HANDFUL_INLINE static double run(const double* value) {
    double best[8];
    for (int i = 0; i < 8; ++i) best[i] = value[i];
    for (int k = 8; k < 64; k += 8)
      for (int i = 0; i < 8; ++i) best[i] = value[k + i] > best[i] ? value[k + i] : best[i];
    for (int i = 1; i < 8; ++i) best[0] = best[i] > best[0] ? best[i] : best[0];
    return best[0];
  }
};

// Numbers, and the place of the largest, the lowest place among equals. A tournament between blocks
// of 64 keeps its few nodes in the fastest cache however many numbers there are.
class Tournament {
 public:
  static constexpr std::size_t kBlock = 64;
  static constexpr double kGone = -std::numeric_limits<double>::infinity();

  explicit Tournament(std::vector<double> values) : value_(std::move(values)) {
    const std::size_t blocks = block_count(value_.size(), kBlock);
    value_.resize(blocks * kBlock, kGone);
    leaves_ = std::bit_ceil(std::max<std::size_t>(blocks, 1));
    node_.assign(2 * leaves_, kGone);
    for (std::size_t b = 0; b < blocks; ++b) node_[leaves_ + b] = largest(b);
    for (std::size_t i = leaves_; i-- > 1;) node_[i] = std::max(node_[2 * i], node_[2 * i + 1]);
  }

  double operator[](std::size_t j) const { return value_[j]; }

  std::size_t top() const {
    std::size_t i = 1;
    while (i < leaves_) i = 2 * i + (node_[2 * i] == node_[i] ? 0 : 1);
    const double* block = &value_[(i - leaves_) * kBlock];
    std::size_t j = 0;
    while (block[j] != node_[i]) ++j;
    return (i - leaves_) * kBlock + j;
  }

  // The places before `end` whose number `value` does not beat, ascending.
  std::vector<std::size_t> not_beaten_by(double value, std::size_t end) const {
    std::vector<std::size_t> found, open{1};
    while (!open.empty()) {
      std::size_t i = open.back();
      open.pop_back();
      if (beats(value, node_[i])) continue;
      if (i < leaves_) {
        open.insert(open.end(), {2 * i + 1, 2 * i});
        continue;
      }
      for (std::size_t j = (i - leaves_) * kBlock; j < std::min(end, (i - leaves_ + 1) * kBlock); ++j)
        if (!beats(value, value_[j])) found.push_back(j);
    }
    return found;
  }

  void lower(std::size_t j, double to) {
    const double before = value_[j];
    value_[j] = to;
    std::size_t i = leaves_ + j / kBlock;
    if (node_[i] != before) return;
    node_[i] = largest(j / kBlock);
    while (i > 1 && node_[i / 2] == before) {
      i /= 2;
      node_[i] = std::max(node_[2 * i], node_[2 * i + 1]);
    }
  }

  void remove(std::size_t j) { lower(j, kGone); }

  void raise(std::size_t j, double to) {
    value_[j] = to;
    for (std::size_t i = leaves_ + j / kBlock; i > 0 && node_[i] < to; i /= 2) node_[i] = to;
  }

 private:
  double largest(std::size_t b) const { return widest<Largest>(&value_[b * kBlock]); }

  std::vector<double> value_, node_;
  std::size_t leaves_;
};

// What is asked of a greedy choice.
struct Wish {
  std::size_t n;         // how many columns; fewer where fewer vary
  std::size_t n_probes;  // the choice ends with the first column that is one of the first so many
  bool conditional;      // CMIM; otherwise each column counts by itself
};

struct Choice {
  std::vector<std::int64_t> columns;
  std::vector<double> scores;
  std::uint64_t evaluations = 0;  // of conditional informations
  std::size_t informative = 0;    // columns chosen before nothing informative was left
};

// Fleuret's lazy maximisation of min_l I(Y; X | X_l): a score can only fall as more columns are
// chosen, so an old score is a bound, and only columns whose bound is the largest are brought up to
// date. Gives the list that scoring every column at every step would.
class Greedy {
 public:
  Greedy(const Planes& table, Team& team)
      : table_(table), team_(team), rows_(table.ends), bound_(informations()), age_(table.size(), 0) {
    std::size_t most = 0;
    for (std::uint8_t planes : table.planes) most = std::max(most, std::size_t(planes) + 1);
    tally_.assign(std::size_t(team.size()), std::vector<Count>(most * (most + 1)));
  }

  Choice choose(const Wish& wish) {
    while (found_.columns.size() < wish.n) {
      team_.check();
      const std::size_t top = freshest_top();
      if (bound_[top] == Tournament::kGone) break;
      if (!beats(bound_[top], 0.0)) {
        append_the_rest(wish);
        break;
      }
      const std::size_t winner = first_among_ties(top);
      take(winner, bound_[winner]);
      ++found_.informative;
      if (winner < wish.n_probes) break;
      if (wish.conditional) chosen_.emplace_back(rows_, column(winner), table_.words);
    }
    return std::move(found_);
  }

 private:
  Column column(std::size_t j) const { return {table_.first[j], table_.planes[j]}; }

  Tournament informations() {
    std::vector<double> found(table_.size());
    team_.each(found.size(), 1024, [&](const Share& share) {
      std::vector<Count> tally(kMaxTally);
      for (std::size_t j = share.begin; j < share.end; ++j)
        found[j] = widest<Information>(rows_, column(j), table_.words, tally.data());
    });
    return Tournament(std::move(found));
  }

  bool is_stale(std::size_t j) const { return age_[j] < chosen_.size() && beats(bound_[j], 0.0); }

  // The column with the largest bound once that bound is its score. Stale columns are brought up to
  // date together, best first, in batches that grow with the work of this step: few are scored in
  // vain, and the next one's bits are on their way while one is counted.
  std::size_t freshest_top() {
    const std::uint64_t before = found_.evaluations;
    for (;;) {
      if (const std::size_t top = bound_.top(); !is_stale(top)) return top;
      const std::uint64_t most = std::clamp<std::uint64_t>((found_.evaluations - before) / 16, 1, 512);
      batch_.clear();
      for (std::size_t j = bound_.top(); batch_.size() < most && is_stale(j); j = bound_.top()) {
        batch_.push_back({j, bound_[j]});
        bound_.remove(j);
      }
      freshen_batch(bound_[bound_.top()]);
    }
  }

  struct Stale {
    std::size_t column;
    double bound;
    std::uint32_t evaluations = 0;
  };

  void freshen_batch(double floor) {
    const auto freshen_one = [&](std::size_t i, int worker) {
      if (i + kAhead < batch_.size()) prefetch(batch_[i + kAhead].column);
      freshen(batch_[i], floor, worker);
    };
    if (batch_.size() < 2 * kShare) {
      for (std::size_t i = 0; i < batch_.size(); ++i) freshen_one(i, 0);
    } else {
      team_.each(batch_.size(), kShare, [&](const Share& share) {
        for (std::size_t i = share.begin; i < share.end; ++i) freshen_one(i, share.worker);
      });
    }
    for (const Stale& stale : batch_) {
      bound_.raise(stale.column, stale.bound);
      found_.evaluations += stale.evaluations;
    }
  }

  void prefetch(std::size_t j) const {
#ifdef __GNUC__
    const Word* end = table_.first[j] + table_.planes[j] * table_.words;
    for (const Word* line = table_.first[j]; line < end; line += 8) __builtin_prefetch(line);
#endif
  }

  // Lets the columns chosen since lower the bound, for as long as it does not fall below `floor`.
  void freshen(Stale& stale, double floor, int worker) {
    std::uint32_t& age = age_[stale.column];
    for (; age < chosen_.size() && !(stale.bound < floor); ++age, ++stale.evaluations)
      stale.bound = std::min(stale.bound, conditional_on(chosen_[age], stale.column, worker));
  }

  double conditional_on(const Chosen& chosen, std::size_t j, int worker) {
    const Column candidate = column(j);
    if (candidate.n_planes == 1 && chosen.column.n_planes == 1)
      return widest<BooleanConditional>(rows_, candidate.planes, chosen);
    return widest<Conditional>(rows_, candidate, chosen, table_.words,
                               tally_[std::size_t(worker)].data());
  }

  // What a scan from the lowest index would choose, where a later column must beat the best so far
  // by more than rounding. Only columns before the top that are tied with it, directly or through
  // others, can make a difference.
  std::size_t first_among_ties(std::size_t top) {
    double least = bound_[top];
    std::vector<std::size_t> tied;
    for (bool grown = true; grown;) {
      grown = false;
      tied.clear();
      for (std::size_t j : bound_.not_beaten_by(least, top)) {
        Stale stale{j, bound_[j]};
        freshen(stale, least - 2 * kTie * std::max(1.0, least), 0);
        found_.evaluations += stale.evaluations;
        if (stale.bound < bound_[j]) bound_.lower(j, stale.bound);
        if (beats(least, bound_[j])) continue;
        tied.push_back(j);
        if (bound_[j] < least) least = bound_[j], grown = true;
      }
    }
    tied.push_back(top);
    std::size_t best = tied.front();
    for (std::size_t j : tied)
      if (beats(bound_[j], bound_[best])) best = j;
    return best;
  }

  // Nothing that is left says anything more: by index, with score 0.
  void append_the_rest(const Wish& wish) {
    for (std::size_t j = 0; j < table_.size() && found_.columns.size() < wish.n; ++j) {
      if (bound_[j] == Tournament::kGone) continue;
      take(j, 0.0);
      if (j < wish.n_probes) return;
    }
  }

  void take(std::size_t j, double score) {
    found_.columns.push_back(std::int64_t(j));
    found_.scores.push_back(score);
    bound_.remove(j);
  }

  static constexpr std::size_t kMaxTally = 256;
  static constexpr std::size_t kAhead = 4;   // columns whose bits are fetched ahead
  static constexpr std::size_t kShare = 32;  // columns of a batch that a thread takes at a time

  const Planes& table_;
  Team& team_;
  Rows rows_;
  Tournament bound_;
  std::vector<std::uint32_t> age_;  // how many of the chosen columns each bound knows of
  std::vector<Chosen> chosen_;
  std::vector<std::vector<Count>> tally_;  // each thread's
  std::vector<Stale> batch_;
  Choice found_;
};

}  // namespace handful
