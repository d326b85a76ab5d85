// Support vector machines by their dual, exactly: libsvm's problem with its free intercept.
//
// With b_i = y_i alpha_i the dual is: maximise sum y_i b_i - b'Kb / 2 where sum b_i = 0 and b_i lies
// between 0 and y_i C_i. Its gradient is g = y - K b, and b is the answer where no g_i of one that may
// grow is above a g_j of one that may shrink. Two kinds of steps lead there, in turns:
//   - pairs (sequential minimal optimisation), to find which b lie at a bound;
//   - Newton's step for all that lie between their bounds, cut off where one meets its bound and goes
//     on without it, by a triangular factor.
// Started from the answer to nearly the same problem, one of Newton's is usually enough, and what
// remains is rounding: the tolerance is no matter of patience.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "factor.hpp"
#include "parallel.hpp"

namespace handful {

// The largest of `a * x + b`, for a group of sums at a time as in `dot`.
struct LargestSum {
  HANDFUL_INLINE static double run(double a, const std::vector<double>& x,
                                   const std::vector<double>& b) {
    double lane[kSumLanes];
    for (double& most : lane) most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < x.size(); i += kSumLanes)
      for (std::size_t l = 0; l < kSumLanes; ++l) {
        const double value = a * x[i + l] + b[i + l];
        lane[l] = value > lane[l] ? value : lane[l];
      }
    return *std::max_element(lane, lane + kSumLanes);
  }
};

// What a step of each with one other would gain: the squared slope over the curvature. `shrinks` is 0
// for those that may shrink, else minus infinity.
struct PairGains {
  HANDFUL_INLINE static double run(double top, const std::vector<double>& gradient,
                                   const std::vector<double>& shrinks, double own, const double* row,
                                   const std::vector<double>& diagonal, double* gains) {
    constexpr double kDigits = 1e-14, kLeast = 1e-300;
    double lane[kSumLanes] = {};
    for (std::size_t i = 0; i < gradient.size(); i += kSumLanes)
      for (std::size_t l = 0; l < kSumLanes; ++l) {
        const std::size_t k = i + l;
        const double slope = top - gradient[k] + shrinks[k], both = own + diagonal[k] + kLeast;
        const double bend = both - 2 * row[k], least = kDigits * both;
        const double gain = slope > 0 ? slope * slope / (bend > least ? bend : least) : 0;
        gains[k] = gain;
        lane[l] = gain > lane[l] ? gain : lane[l];
      }
    return *std::max_element(lane, lane + kSumLanes);
  }
};

class SupportMachine {
 public:
  // `bounds` holds C for each row; `start` is feasible.
  SupportMachine(const double* signs, const double* bounds, const double* start, std::size_t n)
      : n_(n), signs_(signs, signs + n), low_(n), high_(n), beta_(padded(n)), gradient_(padded(n)),
        grows_(padded(n), -kFar), shrinks_(padded(n), -kFar), diagonal_(padded(n)), gains_(padded(n)) {
    for (std::size_t i = 0; i < n; ++i) {
      low_[i] = std::min(0.0, signs[i] * bounds[i]);
      high_[i] = std::max(0.0, signs[i] * bounds[i]);
      set(i, start[i]);
    }
  }

  const double* beta() const { return beta_.data(); }

  // The answer for this Gram matrix, from wherever the last one left off.
  template <class Check>
  void solve(const Vectors& gram, const Check& check) {
    for (std::size_t i = 0; i < n_; ++i) diagonal_[i] = std::max(0.0, gram[i][i]);
    fresh_ = false;
    refresh(gram);
    polish(gram, check);
    for (int round = 0; round < kRounds && missed().gap > kTolerance; ++round) {
      descend(gram, check);
      polish(gram, check);
    }
  }

 private:
  static constexpr int kRounds = 10'000;
  static constexpr std::size_t kJoin = 8, kFew = 4;
  static constexpr double kTolerance = 1e-10, kDigits = 1e-14, kPivot = 1e-13, kRough = 0.01,
                          kLeast = 1e-200;
  static constexpr double kFar = std::numeric_limits<double>::infinity();

  void set(std::size_t i, double value) {
    beta_[i] = value;
    fresh_ = false;
    grows_[i] = value < high_[i] ? 0 : -kFar;
    shrinks_[i] = value > low_[i] ? 0 : -kFar;
  }

  void refresh(const Vectors& gram) {
    if (fresh_) return;
    fresh_ = true;
    widest<Multiply>(gram, beta_.data(), gradient_.data());
    for (std::size_t i = 0; i < n_; ++i) gradient_[i] = signs_[i] - gradient_[i];
  }

  // The two that miss the conditions most, and by how much, beyond what the gradient can be known to.
  struct Missed {
    std::size_t grows = 0, shrinks = 0;
    double gap = 0;
  };
  Missed missed() const {
    Missed most;
    double size = 0, up = -kFar, down = kFar;
    for (std::size_t i = 0; i < n_; ++i) size += std::sqrt(diagonal_[i]) * std::abs(beta_[i]);
    for (std::size_t i = 0; i < n_; ++i) {
      const double noise = kDigits * size * std::sqrt(diagonal_[i]);
      const double mine = gradient_[i] - noise + grows_[i], other = gradient_[i] + noise - shrinks_[i];
      if (mine > up) up = mine, most.grows = i;
      if (other < down) down = other, most.shrinks = i;
    }
    most.gap = up - down;
    return most;
  }

  // Pairs, until the gap is much smaller, or as many as take as long as a factorisation.
  template <class Check>
  void descend(const Vectors& gram, const Check& check) {
    const double enough = kRough * missed().gap;
    double n_free = 0;
    for (double spent = 0; spent <= n_free * n_free * n_free; spent += 3. * double(n_ * n_)) {
      for (std::size_t step = 0; step <= n_ / 4; ++step)
        if (!move_pair(gram, enough)) return;
      check();
      n_free = 0;
      for (std::size_t i = 0; i < n_; ++i) n_free += is_free(i);
    }
  }

  bool is_free(std::size_t i) const { return grows_[i] == 0 && shrinks_[i] == 0; }

  // The second of the pair by what it gains (Fan, Chen and Lin, 2005). False where the slope between
  // any two is at most `enough`.
  bool move_pair(const Vectors& gram, double enough) {
    const double top = widest<LargestSum>(1.0, gradient_, grows_);
    const double bottom = -widest<LargestSum>(-1.0, gradient_, shrinks_);
    if (!(top - bottom > enough)) return false;
    std::size_t i = 0, j = 0;
    while (gradient_[i] + grows_[i] != top) ++i;
    const double* row = gram[i];
    const double most =
        widest<PairGains>(top, gradient_, shrinks_, diagonal_[i], row, diagonal_, gains_.data());
    while (gains_[j] != most) ++j;
    const double slope = top - gradient_[j], whole = most / slope;
    const double up = high_[i] - beta_[i], down = beta_[j] - low_[j];
    const double step = std::min({up, down, whole});
    set(i, step == up ? high_[i] : beta_[i] + step);
    set(j, step == down ? low_[j] : beta_[j] - step);
    widest<AddTimes>(gradient_.data(), -step, row, gram.stride);
    widest<AddTimes>(gradient_.data(), step, gram[j], gram.stride);
    return true;
  }

  // Newton's steps among those between their bounds, until none is cut off; a few more, one at a
  // time, join those that are done.
  template <class Check>
  void polish(const Vectors& gram, const Check& check) {
    line_up();
    double last = kFar;
    for (std::size_t n_whole = 0, n_joined = 0; n_whole < 4 && free_.size() > 1;) {
      check();
      const std::size_t n = find_direction(gram);
      if (!advance(gram, n)) continue;
      ++n_whole;
      if (!follows(n)) refresh(gram);
      // as long as it helps: what is left in the end is rounding
      if (const double left = gap_among_free(); n < free_.size() || 2 * left < last) {
        last = left;
        continue;
      }
      if (n_joined++ == kJoin || !join()) break;
      n_whole = 0;
      last = kFar;
    }
    refresh(gram);
  }

  // Whether a step of so many costs less than the gradient anew.
  bool follows(std::size_t n) const { return kFew * n < n_; }

  // Takes in one that is at its bound and should not be.
  bool join() {
    const Missed most = missed();
    if (!(most.gap > kTolerance)) return false;
    free_.push_back(is_free(most.grows) ? most.shrinks : most.grows);
    return true;
  }

  // Those between their bounds: first the smallest, of which the factor takes differences, then those
  // that have furthest to go, since what follows one that drops out is factorised anew.
  void line_up() {
    free_.clear();
    n_done_ = 0;
    for (std::size_t i = 0; i < n_; ++i)
      if (is_free(i)) free_.push_back(i);
    if (free_.size() < 2) return;
    std::iter_swap(free_.begin(), std::min_element(free_.begin(), free_.end(), [&](auto i, auto j) {
                     return diagonal_[i] < diagonal_[j];
                   }));
    const auto room = [&](std::size_t i) { return std::min(high_[i] - beta_[i], beta_[i] - low_[i]); };
    std::sort(free_.begin() + 1, free_.end(), [&](std::size_t i, std::size_t j) {
      const double mine = room(i), other = room(j);
      return mine != other ? mine > other : i < j;
    });
    const std::size_t most = std::min(n_, free_.size() + kJoin);
    if (system_.n < most) system_ = Vectors(most, most);
  }

  double gap_among_free() const {
    double up = -kFar, down = kFar;
    for (std::size_t i : free_) {
      up = std::max(up, gradient_[i]);
      down = std::min(down, gradient_[i]);
    }
    return up - down;
  }

  // `step_` for the first of the free ones; the answer says for how many. The very first takes what
  // the others give, so that the sum stays. One that depends on those before it changes nothing but
  // the sum of y b: where that gains, it is the last to move, far enough to lead to a bound, else it
  // stays where it is.
  std::size_t find_direction(const Vectors& gram) {
    const std::size_t first = free_[0];
    step_.assign(padded(free_.size()), 0);
    n_ready_ = n_done_;
    std::size_t n = 0;
    for (bool goes_on = true; goes_on && n + 1 < free_.size();) {
      const std::size_t i = free_[n + 1];
      const double least = kPivot * (diagonal_[i] + diagonal_[first]) + kLeast;
      double* row = system_[n];
      double pivot = kFar;
      if (n >= n_done_) pivot = factorise(gram, n);
      const double slope =
          gradient_[i] - gradient_[first] - widest<Dot>(row, step_.data(), padded(n + 1));
      const bool bent = pivot > least;
      if (!bent && std::abs(slope) <= kTolerance) {
        free_.erase(free_.begin() + std::ptrdiff_t(n) + 1);
        n_ready_ = n;
        continue;
      }
      if (n >= n_done_) row[n] = std::sqrt(std::max(pivot, least));
      if (bent) n_done_ = std::max(n_done_, n + 1);
      step_[n] = slope / row[n];
      ++n;
      goes_on = bent;
    }
    double given = 0;
    for (std::size_t i = n; i-- > 0;) {
      step_[i] /= system_[i][i];
      widest<AddTimes>(step_.data(), -step_[i], system_[i], i);
      given += step_[i];
    }
    step_[n] = -given;
    return n + 1;
  }

  // Row `n` of the factor of the differences to the first; returns the square on its diagonal.
  double factorise(const Vectors& gram, std::size_t n) {
    if (n >= n_ready_) prepare(gram, n);
    return widest<FactoriseRow>(&system_, n, ready_from_);
  }

  // Row `n` and some that follow it, as far as the rows above have to do with them.
  void prepare(const Vectors& gram, std::size_t n) {
    const bool some = n + FactoriseRows::kRows < free_.size();
    n_ready_ = n + (some ? FactoriseRows::kRows : 1);
    ready_from_ = some ? n : 0;
    const double* shared = gram[free_[0]];
    for (std::size_t i = n; i < n_ready_; ++i) {
      const double* row = gram[free_[i + 1]];
      double* to = system_[i];
      for (std::size_t k = 0; k <= i; ++k)
        to[k] = row[free_[k + 1]] - row[free_[0]] - shared[free_[k + 1]] + shared[free_[0]];
      std::fill(to + i + 1, to + system_.stride, 0.0);
    }
    if (some) widest<FactoriseRows>(&system_, n, n);
  }

  // Moves `n` of the free ones as far along `step_` as the bounds allow; true for all of it, else the
  // one that met its bound drops out.
  bool advance(const Vectors& gram, std::size_t n) {
    const auto step = [&](std::size_t k) { return step_[k == 0 ? n - 1 : k - 1]; };
    double share = 1;
    std::size_t cut = n;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = free_[k];
      const double room = step(k) > 0 ? high_[i] - beta_[i] : low_[i] - beta_[i];
      if (step(k) != 0 && room / step(k) < share) share = room / step(k), cut = k;
    }
    const double base = gradient_[free_[0]];
    const bool later = n == free_.size() && !follows(n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = free_[k];
      const double before = beta_[i], end = step(k) > 0 ? high_[i] : low_[i];
      set(i, k == cut ? end : std::clamp(before + share * step(k), low_[i], high_[i]));
      // when all move, slopes among them shrink alike, and for the others there is time until later
      if (later) gradient_[i] = base + (1 - share) * (gradient_[i] - base);
      else widest<AddTimes>(gradient_.data(), before - beta_[i], gram[i], gram.stride);
    }
    if (cut == n) return true;
    n_done_ = cut == 0 ? 0 : std::min(n_done_, cut - 1);
    free_.erase(free_.begin() + std::ptrdiff_t(cut));
    return false;
  }

  std::size_t n_, n_done_ = 0, n_ready_ = 0, ready_from_ = 0;
  std::vector<double> signs_, low_, high_, beta_, gradient_;
  // 0 where b may grow, or shrink, else minus infinity
  std::vector<double> grows_, shrinks_, diagonal_, gains_, step_;
  std::vector<std::size_t> free_;
  bool fresh_ = false;  // the gradient is made anew, not followed
  // a factor of the differences to the first free one; `n_done_` of its rows are up to date
  Vectors system_;
};

// Solves machines that share a Gram matrix, each by one thread.
inline void solve_each(std::vector<SupportMachine>& machines, const Vectors& gram, Team& team) {
  std::atomic<bool> stopping = false;
  team.each(machines.size(), 1, [&](const Share& share) {
    machines[share.begin].solve(gram, [&] {
      if (stopping) throw Interrupted();
      if (share.worker != 0) return;
      try {
        team.check();
      } catch (...) {
        stopping = true;
        throw;
      }
    });
  });
}

// `signs`, `bounds` and `start` have a vector for each machine. A sign of 0 or a bound of 0 leaves a
// row out.
inline Vectors solve_machines(const Vectors& gram, const Vectors& signs, const Vectors& bounds,
                              const Vectors& start, Team& team) {
  std::vector<SupportMachine> machines;
  for (std::size_t m = 0; m < signs.n; ++m)
    machines.emplace_back(signs[m], bounds[m], start[m], gram.n);
  solve_each(machines, gram, team);
  Vectors beta(signs.n, signs.length);
  for (std::size_t m = 0; m < signs.n; ++m) std::copy_n(machines[m].beta(), beta.stride, beta[m]);
  return beta;
}

}  // namespace handful
