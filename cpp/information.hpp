// The greedy choice of columns by information about the classes.
//
// Everything is in nats and from plain frequencies (or sums of weights). With x(c) = c log c and T
// rows, an entropy is log T - sum x(counts) / T, so informations are differences of sums:
//   I(Y; A)     = (sum x(y, a) - sum x(a) - sum x(y) + x(T)) / T
//   I(Y; A | B) = (sum x(y, a, b) - sum x(a, b) - sum x(y, b) + sum x(b)) / T
#pragma once

#include <cstdint>

#include "counters.hpp"
#include "parallel.hpp"
#include "tournament.hpp"

namespace handful {

enum class Criterion { mim, cmim, jmim, mrmr, mrmr_quotient, jmi, disr, cife, icap, condred };

inline constexpr const char* kCriteria[] = {"mim", "cmim", "jmim", "mrmr", "mrmr_quotient",
                                            "jmi", "disr", "cife", "icap", "condred"};

// Scored by the smallest of its terms, so that scores only fall; all others by a sum of terms.
inline bool is_least(Criterion criterion) {
  return criterion == Criterion::mim || criterion == Criterion::cmim || criterion == Criterion::jmim;
}

// A difference of entropies: never below zero, and zero where only rounding is left.
inline double difference(double sum, const Totals& t) {
  const double found = sum / t.rows;
  return found > kTie ? found : 0.0;
}

// H(A) is zero.
inline bool is_constant(const Totals& t, const Single& a) {
  return difference(t.all - a.own, t) == 0.0;
}

// I(Y; A)
inline double relevance(const Totals& t, const Single& a) {
  return difference(a.with_class - a.own - t.classes + t.all, t);
}

// What column a gains or loses by the chosen column b.
inline double term(Criterion criterion, const Totals& t, const Single& a, const Single& b,
                   const Pair& ab) {
  const auto shared = [&] { return difference(ab.two - a.own - b.own + t.all, t); };  // I(A; B)
  const auto joint = [&] { return difference(ab.three - ab.two - t.classes + t.all, t); };  // I(Y; A B)
  const auto given = [&] { return difference(ab.three - ab.two - b.with_class + b.own, t); };  // I(Y; A | B)
  switch (criterion) {
    case Criterion::cmim: return given();
    case Criterion::jmi:
    case Criterion::jmim: return joint();
    case Criterion::disr: {
      const double entropy = (t.all - ab.three) / t.rows;  // H(Y A B)
      return entropy > 0 ? joint() / entropy : 0.0;
    }
    case Criterion::mrmr:
    case Criterion::mrmr_quotient: return shared();
    case Criterion::cife: return given() - relevance(t, a);
    case Criterion::icap: return std::min(0.0, given() - relevance(t, a));
    case Criterion::condred: return given() - relevance(t, a) + shared();  // I(A; B | Y)
    case Criterion::mim: break;
  }
  return 0.0;
}

// The score from I(Y; A) and the sum of the terms of the columns chosen so far.
inline double combined(Criterion criterion, double relevance, double sum, std::size_t n_chosen) {
  if (n_chosen == 0 || std::isinf(relevance)) return relevance;  // infinite: not to be chosen
  switch (criterion) {
    case Criterion::jmi:
    case Criterion::disr: return sum;
    case Criterion::mrmr: return relevance - sum / double(n_chosen);
    case Criterion::mrmr_quotient:
      if (relevance <= 0) return 0.0;
      return sum > 0 ? relevance * double(n_chosen) / sum : std::numeric_limits<double>::infinity();
    default: return relevance + sum;
  }
}

// What is asked of a greedy choice.
struct Wish {
  Criterion criterion;
  std::size_t n;         // how many columns; fewer where fewer vary
  std::size_t n_probes;  // the choice ends with the first column that is one of the first so many
};

struct Choice {
  std::vector<std::int64_t> columns;
  std::vector<double> scores;
  std::uint64_t evaluations = 0;  // of a column beside a chosen one
  std::size_t informative = 0;    // columns chosen before nothing informative was left
};

template <class Counter>
class Greedy {
 public:
  Greedy(std::size_t n_columns, Counter& counter, Team& team)
      : counter_(counter), team_(team), single_(n_columns), relevance_(n_columns) {
    team_.each(n_columns, 1024, [&](const Share& share) {
      for (std::size_t j = share.begin; j < share.end; ++j) {
        single_[j] = counter_.single(j, share.worker);
        const Single& one = single_[j];
        relevance_[j] = is_constant(counter_.totals, one) ? kGone : relevance(counter_.totals, one);
      }
    });
    const auto constant = std::count(relevance_.begin(), relevance_.end(), kGone);
    n_varying_ = n_columns - std::size_t(constant);
  }

  Choice choose(const Wish& wish) {
    wish_ = wish;
    if (is_least(wish.criterion)) {
      choose_lazily();
      const auto says_nothing = [](double score) { return score <= 0; };
      if (std::all_of(found_.scores.begin(), found_.scores.end(), says_nothing)) found_.informative = 0;
    } else {
      choose_by_sums();
    }
    return std::move(found_);
  }

 private:
  static constexpr double kGone = Tournament::kGone;
  static constexpr std::size_t kAhead = 4;   // columns whose bits are fetched ahead
  static constexpr std::size_t kShare = 32;  // columns of a batch that a thread takes at a time

  struct Chosen {
    typename Counter::Chosen counts;
    Single single;
  };

  struct Stale {
    std::size_t column;
    double bound;
    std::uint32_t evaluations = 0;
    bool is_fresh = false;
  };

  // Whether the choice goes on after this column.
  bool take(std::size_t j, double score) {
    found_.columns.push_back(std::int64_t(j));
    found_.scores.push_back(score);
    const bool more = found_.columns.size() < wish_.n && j >= wish_.n_probes;
    if (more && wish_.criterion != Criterion::mim) {
      chosen_.push_back({counter_.chosen(j), single_[j]});
      std::fill(fresh_.begin(), fresh_.end(), false);
    }
    return more;
  }

  double term_of(std::size_t j, const Chosen& chosen, const Pair& pair) const {
    return term(wish_.criterion, counter_.totals, single_[j], chosen.single, pair);
  }

  // ---- criteria that are a least: Fleuret's lazy search ----

  // A score can only fall as more columns are chosen, so an old score is a bound, and only columns
  // whose bound is the largest are brought up to date. Gives the list that scoring every column at
  // every step would.
  void choose_lazily() {
    bound_ = Tournament(std::move(relevance_));
    age_.assign(single_.size(), 0);
    fresh_.assign(single_.size(), true);
    for (;;) {
      team_.check();
      const std::size_t top = freshest_top();
      if (bound_[top] == kGone) return;
      // beside the first column of jmim the others may still tell what they do not tell alone
      const bool is_alone = wish_.criterion == Criterion::jmim && chosen_.empty();
      if (!is_alone && !beats(bound_[top], 0.0)) return take_the_rest();
      const std::size_t winner = first_among_ties(top);
      const double score = bound_[winner];
      bound_.remove(winner);
      ++found_.informative;
      if (!take(winner, score)) return;
      if (wish_.criterion == Criterion::jmim && chosen_.size() == 1) start_over();
    }
  }

  // The least of jmim is over chosen columns alone: I(Y; A) was for the first choice only.
  void start_over() {
    std::vector<double> bound(single_.size(), kGone);
    add_terms([&](std::size_t j, double term) {
      if (bound_[j] != kGone) bound[j] = term;
    });
    bound_ = Tournament(std::move(bound));
    std::fill(age_.begin(), age_.end(), 1u);
    fresh_.assign(fresh_.size(), true);
  }

  bool is_stale(std::size_t j) const { return !fresh_[j] && beats(bound_[j], 0.0); }

  // The column with the largest bound once that bound is its score. Stale columns are brought up to
  // date together, best first, in batches that grow with the work of this step: few are scored in
  // vain, and the next one's bits are on their way while one is counted.
  std::size_t freshest_top() {
    const std::uint64_t before = found_.evaluations;
    for (;;) {
      if (const std::size_t top = bound_.top(); !is_stale(top)) return top;
      const auto most = std::clamp<std::uint64_t>((found_.evaluations - before) / 16, 1, 512);
      batch_.clear();
      for (std::size_t j = bound_.top(); batch_.size() < most && is_stale(j); j = bound_.top()) {
        batch_.push_back({j, bound_[j]});
        counter_.announce(j);
        bound_.remove(j);
      }
      freshen_batch(bound_[bound_.top()]);
    }
  }

  void freshen_batch(double floor) {
    const auto freshen_one = [&](std::size_t i, int worker) {
      if (i + kAhead < batch_.size()) counter_.fetch(batch_[i + kAhead].column);
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
      note(stale);
    }
  }

  void note(const Stale& stale) {
    found_.evaluations += stale.evaluations;
    fresh_[stale.column] = stale.is_fresh;
  }

  // Lets the columns chosen since lower the bound, for as long as it does not fall below `floor`.
  void freshen(Stale& stale, double floor, int worker) {
    std::uint32_t& age = age_[stale.column];
    for (; age < chosen_.size() && !(stale.bound < floor); ++age, ++stale.evaluations) {
      const Pair pair = counter_.pair(stale.column, chosen_[age].counts, worker);
      stale.bound = std::min(stale.bound, term_of(stale.column, chosen_[age], pair));
    }
    stale.is_fresh = age == chosen_.size();
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
        note(stale);
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
  void take_the_rest() {
    for (std::size_t j = 0; j < single_.size(); ++j)
      if (bound_[j] != kGone && !take(j, 0.0)) return;
  }

  // ---- criteria that are a sum ----

  // Every step adds the terms of the column just chosen to all sums: one pass.
  void choose_by_sums() {
    std::vector<double> sum(relevance_.size(), 0.0);
    bound_ = Tournament(relevance_);  // the scores
    age_.assign(single_.size(), 0);  // all scores are of this step
    fresh_.assign(single_.size(), true);
    for (;;) {
      team_.check();
      const std::size_t top = bound_.top();
      if (bound_[top] == kGone) return;
      const std::size_t winner = first_among_ties(top);
      relevance_[winner] = kGone;
      ++found_.informative;
      if (!take(winner, bound_[winner])) return;
      const std::size_t n_chosen = found_.columns.size();
      add_terms([&](std::size_t j, double term) {
        sum[j] += term;
        bound_.put(j, combined(wish_.criterion, relevance_[j], sum[j], n_chosen));
      });
      bound_.play();
      chosen_.clear();
    }
  }

  // add(j, term) for every column and the one chosen last.
  template <class Add>
  void add_terms(Add add) {
    const Chosen& last = chosen_.back();
    const bool by_class =
        wish_.criterion != Criterion::mrmr && wish_.criterion != Criterion::mrmr_quotient;
    const typename Counter::Beside& beside = counter_.beside(last.counts, by_class);
    team_.each(single_.size(), 8 * kGroup, [&](const Share& share) {
      Pair pairs[kGroup];
      for (std::size_t j = share.begin; j < share.end; j += kGroup) {
        const std::size_t n = std::min(kGroup, share.end - j);
        counter_.pairs(j, n, beside, share.worker, pairs);
        for (std::size_t lane = 0; lane < n; ++lane)
          add(j + lane, term_of(j + lane, last, pairs[lane]));
      }
    });
    found_.evaluations += n_varying_ - found_.columns.size();
  }

  Counter& counter_;
  Team& team_;
  std::vector<Single> single_;
  std::vector<double> relevance_;  // minus infinity where a column is constant
  std::size_t n_varying_;
  Wish wish_{};
  Choice found_;
  std::vector<Chosen> chosen_;
  Tournament bound_{{}};
  std::vector<std::uint32_t> age_;  // how many of the chosen columns each bound knows of
  std::vector<bool> fresh_;         // whether that is all of them
  std::vector<Stale> batch_;
};

// The choice from planes, each row once or (where `weight` is not null) with its weight, by position.
inline Choice choose(const Planes& table, const double* weight, const Wish& wish, Team& team) {
  if (weight == nullptr) {
    BitCounter counter(table, team.size());
    return Greedy<BitCounter>(table.size(), counter, team).choose(wish);
  }
  WeightCounter counter(table, weight, team.size());
  return Greedy<WeightCounter>(table.size(), counter, team).choose(wish);
}

}  // namespace handful
