// Support vector machines by their dual, exactly: libsvm's problem with its free intercept.
//
// With b_i = y_i alpha_i the dual is: maximise sum y_i b_i - b'Kb / 2 where sum b_i = 0 and b_i lies
// between 0 and y_i C_i. Its gradient is g = y - K b, and b is the answer where no g_i of one that may
// grow is above a g_j of one that may shrink. Two kinds of steps lead there:
//   - a pair at a time (sequential minimal optimisation), to find which b lie at a bound;
//   - Newton's step for all that lie between their bounds at once, cut off where one meets a bound.
// Started from the answer to nearly the same problem, one of Newton's is usually enough, and what
// remains is rounding: the tolerance is no matter of patience.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "parallel.hpp"
#include "vectors.hpp"

namespace handful {

// Row i of a lower triangular factor, in place, from the rows above; the answer is the square of what
// stands on its diagonal, which is left for the caller.
struct FactoriseRow {
  HANDFUL_INLINE static double run(Vectors* matrix, std::size_t i) {
    double* row = (*matrix)[i];
    for (std::size_t k = 0; k < i; ++k) {
      const double* other = (*matrix)[k];
      const double given = row[k];
      row[k] = 0;  // the sums go on to the end of a group
      row[k] = (given - dot(row, other, (k + kSumLanes) / kSumLanes * kSumLanes)) / other[k];
    }
    const double given = row[i];
    row[i] = 0;
    return given - dot(row, row, (i + kSumLanes) / kSumLanes * kSumLanes);
  }
};

class SupportMachine {
 public:
  // `bounds` holds C for each row; `start` is feasible.
  SupportMachine(const double* signs, const double* bounds, const double* start, std::size_t n)
      : n_(n), signs_(signs, signs + n), low_(n), high_(n), beta_(padded(n)), gradient_(padded(n)) {
    for (std::size_t i = 0; i < n; ++i) {
      low_[i] = std::min(0.0, signs[i] * bounds[i]);
      high_[i] = std::max(0.0, signs[i] * bounds[i]);
      beta_[i] = start[i];
    }
  }

  const double* beta() const { return beta_.data(); }

  // The answer for this Gram matrix, from wherever the last one left off.
  template <class Check>
  void solve(const Vectors& gram, const Check& check) {
    refresh(gram);
    double largest = 0;
    for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, gram[i][i]);
    polish(gram, largest);
    for (int round = 0; round < kRounds && gap() > tolerance(largest); ++round) {
      const double enough = std::max(kRough * gap(), tolerance(largest));
      for (std::size_t step = 0; step <= n_ / 4 && move_pair(gram, enough); ++step) {}
      polish(gram, largest);
      check();
    }
  }

 private:
  static constexpr int kRounds = 10'000;
  static constexpr double kTolerance = 1e-10, kDigits = 1e-14, kPivot = 1e-11, kRough = 0.1,
                          kNowhere = 1e150;
  static constexpr double kFar = std::numeric_limits<double>::infinity();

  bool may_grow(std::size_t i) const { return beta_[i] < high_[i]; }
  bool may_shrink(std::size_t i) const { return beta_[i] > low_[i]; }

  // What the gradient can be known to.
  double tolerance(double largest) const {
    double size = 0;
    for (double b : beta_) size += std::abs(b);
    return std::max(kTolerance, kDigits * largest * size);
  }

  void refresh(const Vectors& gram) {
    widest<Multiply>(gram, beta_.data(), gradient_.data());
    for (std::size_t i = 0; i < n_; ++i) gradient_[i] = signs_[i] - gradient_[i];
  }

  double gap() const {
    double up = -kFar, down = kFar;
    for (std::size_t i = 0; i < n_; ++i) {
      if (may_grow(i)) up = std::max(up, gradient_[i]);
      if (may_shrink(i)) down = std::min(down, gradient_[i]);
    }
    return up - down;
  }

  // One step of sequential minimal optimisation, the second of the pair by what it gains (Fan, Chen
  // and Lin, 2005). False where nothing is left to gain.
  bool move_pair(const Vectors& gram, double tolerance) {
    std::size_t i = n_, j = n_;
    for (std::size_t k = 0; k < n_; ++k)
      if (may_grow(k) && (i == n_ || gradient_[k] > gradient_[i])) i = k;
    if (i == n_) return false;
    const double* row = gram[i];
    double most = 0, curve = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      const double slope = gradient_[i] - gradient_[k];
      if (!may_shrink(k) || slope <= tolerance) continue;
      const double both = row[i] + gram[k][k];
      const double bend = std::max(both - 2 * row[k], kDigits * both);
      const double gain = bend > 0 ? slope * slope / bend : kFar;
      if (j == n_ || gain > most) j = k, most = gain, curve = bend;
    }
    if (j == n_) return false;
    const double room = std::min(high_[i] - beta_[i], beta_[j] - low_[j]);
    const double whole = curve > 0 ? (gradient_[i] - gradient_[j]) / curve : kFar;
    const double step = std::min(room, whole);
    beta_[i] = step == high_[i] - beta_[i] ? high_[i] : beta_[i] + step;
    beta_[j] = step == beta_[j] - low_[j] ? low_[j] : beta_[j] - step;
    widest<AddTimes>(gradient_.data(), -step, row, gram.stride);
    widest<AddTimes>(gradient_.data(), step, gram[j], gram.stride);
    return true;
  }

  // Newton's steps among those between their bounds, until none is cut off by a bound.
  void polish(const Vectors& gram, double largest) {
    int n_whole = 0;
    for (std::size_t number = 0; number < 2 * n_ + 8; ++number) {
      free_.clear();
      for (std::size_t i = 0; i < n_; ++i)
        if (may_grow(i) && may_shrink(i)) free_.push_back(i);
      if (free_.size() < 2) break;
      newton(gram, largest);
      if (!advance(gram)) continue;
      refresh(gram);
      if (++n_whole == 3 || gap_among_free() <= kTolerance / 10) return;
    }
    refresh(gram);
  }

  double gap_among_free() const {
    double up = -kFar, down = kFar;
    for (std::size_t i : free_) {
      up = std::max(up, gradient_[i]);
      down = std::min(down, gradient_[i]);
    }
    return up - down;
  }

  // `step_` for the free ones; the first takes what the others give, so that the sum stays. Where one
  // depends on those before it, a step that changes nothing but the sum of y b leads to a bound: it is
  // taken among these alone, and `free_` ends there. Where there is nothing to gain it stays.
  void newton(const Vectors& gram, double largest) {
    const std::size_t first = free_[0];
    const double* shared = gram[first];
    if (system_.n < free_.size()) system_ = Vectors(free_.size(), free_.size());
    step_.assign(padded(free_.size()), 0);
    std::size_t n = 0;
    for (bool goes_on = true; goes_on && n + 1 < free_.size(); ++n) {
      const double* row = gram[free_[n + 1]];
      double* to = system_[n];
      for (std::size_t k = 0; k <= n; ++k)
        to[k] = row[free_[k + 1]] - row[first] - shared[free_[k + 1]] + shared[first];
      std::fill(to + n + 1, to + system_.stride, 0.0);
      const double pivot = widest<FactoriseRow>(&system_, n);
      double slope = gradient_[free_[n + 1]] - gradient_[first];
      for (std::size_t k = 0; k < n; ++k) slope -= to[k] * step_[k];
      const bool bent = pivot > kPivot * largest, gains = std::abs(slope) > kTolerance;
      to[n] = bent ? std::sqrt(pivot) : gains ? std::sqrt(kPivot * largest) : kNowhere;
      step_[n] = slope / to[n];
      goes_on = bent || !gains;
    }
    double given = 0;
    for (std::size_t i = n; i-- > 0;) {
      step_[i] /= system_[i][i];
      for (std::size_t k = 0; k < i; ++k) step_[k] -= system_[i][k] * step_[i];
      given += step_[i];
    }
    step_[n] = -given;
    free_.resize(n + 1);
    std::rotate(free_.begin(), free_.begin() + 1, free_.end());
  }

  // As far along `step_` as the bounds allow; true for all of it.
  bool advance(const Vectors& gram) {
    double share = 1;
    std::size_t first = free_.size();
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const std::size_t i = free_[k];
      const double room = step_[k] > 0 ? high_[i] - beta_[i] : low_[i] - beta_[i];
      if (step_[k] != 0 && room / step_[k] < share) share = room / step_[k], first = k;
    }
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const std::size_t i = free_[k];
      const double before = beta_[i];
      beta_[i] = k == first ? (step_[k] > 0 ? high_[i] : low_[i])
                            : std::clamp(before + share * step_[k], low_[i], high_[i]);
      widest<AddTimes>(gradient_.data(), before - beta_[i], gram[i], gram.stride);
    }
    return first == free_.size();
  }

  std::size_t n_;
  std::vector<double> signs_, low_, high_, beta_, gradient_, step_;
  std::vector<std::size_t> free_;
  Vectors system_;
};

// Several machines on one Gram matrix; `signs`, `bounds` and `start` have a vector for each. A sign of
// 0 or a bound of 0 leaves a row out.
inline Vectors solve_machines(const Vectors& gram, const Vectors& signs, const Vectors& bounds,
                              const Vectors& start, Team& team) {
  Vectors beta(signs.n, signs.length);
  std::atomic<bool> stopping = false;
  team.each(signs.n, 1, [&](const Share& share) {
    const auto check = [&] {
      if (share.worker != 0) {
        if (stopping) throw Interrupted();
        return;
      }
      try {
        team.check();
      } catch (...) {
        stopping = true;
        throw;
      }
    };
    const std::size_t m = share.begin;
    SupportMachine machine(signs[m], bounds[m], start[m], gram.n);
    machine.solve(gram, check);
    std::copy_n(machine.beta(), beta.stride, beta[m]);
  });
  return beta;
}

}  // namespace handful
