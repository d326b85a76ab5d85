// The Riemannian optimizer of Gadat and Younes (equations 10 to 12), at the price of what was drawn.
#pragma once

#include <array>
#include <cstdint>

#include "weights.hpp"

namespace handful {

// P * exp(-size * (C q - kappa P)), normalised, with kappa = sum C q P / sum P^2.
//
// A feature that is not drawn grows by exp(s w) in a step, where w is its weight before it is divided
// by the sum and s is the same for all. Steps s_1, s_2, ... one after the other make
//     log w + a w + b w^2 + c w^3 + ...,  a = sum s_i,  b = sum_{i<j} s_i s_j,
//     c = sum_{i<j<k} s_i s_j s_k + sum_{i<j} s_i^2 s_j / 2,
// and what is left out is below (a w)^4. So a feature notes at which step it was last looked at, and
// what it missed since follows from a, b, c then and now. All are brought up to date before a w gets
// large for the heaviest, and after `lag` steps. The sums of w, w^2, ... follow from each other.
class Riemannian final : public ByFactors {
 public:
  Riemannian(const std::vector<double>& start, std::size_t lag)
      : ByFactors(start), lag_(lag), seen_(start.size()) {
    settle();
  }

  // Weights differ a little from those in the tree: what the tree finds is taken as often as it would
  // be found among the weights themselves, and found again otherwise.
  std::size_t draw(double uniform) const override {
    double share;
    for (;;) {
      const std::size_t j = tree_.find(uniform * tree_.total(), 0, &share);
      if (growth_.size() == 1) return j;
      const double taken = current(j) / (tree_[j] * kMost);
      if (share < taken) return j;
      uniform = (share - taken) / (1 - taken);
    }
  }

  bool step(const Gradient& gradient, double size, const double*) override {
    bring_up(gradient.feature);
    double above = 0;
    for (std::size_t i = 0; i < gradient.feature.size(); ++i)
      above += gradient.value[i] * tree_[gradient.feature[i]];
    // kappa P, by whatever all weights are divided
    const double s = size * above / powers_[0];
    if (lag_ == 1 || largest(gradient, size) > kLarge || std::abs(s) * heaviest_ > kSmall) {
      settle_growth();
      scale_all(gradient, size, s);
      refresh();
      return true;
    }
    step_drawn(gradient, size, s);
    if (growth_.size() > lag_ || (most_ - least_) * heaviest_ > kSmall) settle();
    return true;
  }

 private:
  // Below it, what is left out of a growth is less than 1e-10.
  static constexpr double kSmall = 4e-3, kMost = 1.005;
  static constexpr std::size_t kPowers = 5;
  struct Growth {
    double a = 0, b = 0, c = 0;
    double of(double w) const { return w * (a + w * (b + w * c)); }
    // This one first, then a step.
    Growth then(double s) const { return {a + s, b + a * s, c + s * (b + a * a / 2)}; }
    // What came after `first`.
    Growth since(const Growth& first) const {
      const double later = a - first.a, more = b - first.b - first.a * later;
      return {later, more,
              c - first.c - later * (first.b + first.a * first.a / 2) - 2 * first.a * more};
    }
  };
  struct GrowAll {
    HANDFUL_INLINE static void run(double* w, std::size_t n, const Growth& growth) {
      for (std::size_t j = 0; j < n; ++j) {
        const double x = w[j] * (growth.a + w[j] * (growth.b + w[j] * growth.c));
        // exp(x) for |x| below 0.01
        w[j] *= 1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5 * (1 + x / 6)))));
      }
    }
  };

  // Sums of w^2, w^3, ..., and the largest w.
  struct AddPowers {
    HANDFUL_INLINE static void run(const double* w, std::size_t n, double* sums, double* largest) {
      double lane[kPowers + 1][SumTree::kFan] = {};
      for (std::size_t j = 0; j < n; j += SumTree::kFan)
        for (std::size_t l = 0; l < SumTree::kFan; ++l) {
          double power = w[j + l];
          lane[kPowers][l] = power > lane[kPowers][l] ? power : lane[kPowers][l];
          for (std::size_t k = 0; k < kPowers; ++k) lane[k][l] += power *= w[j + l];
        }
      for (std::size_t l = 0; l < SumTree::kFan; ++l) {
        for (std::size_t k = 0; k < kPowers; ++k) sums[k] += lane[k][l];
        *largest = std::max(*largest, lane[kPowers][l]);
      }
    }
  };

  double current(std::size_t j) const {
    const Growth missed = growth_.back().since(growth_[seen_[j]]);
    return tree_[j] * std::exp(missed.of(tree_[j]));
  }

  void bring_up(const std::vector<std::size_t>& features) {
    const auto now = std::uint32_t(growth_.size() - 1);
    for (std::size_t j : features) {
      if (seen_[j] == now) continue;
      if (seen_[j] == 0) touched_.push_back(j);
      tree_.values()[j] = current(j);
      seen_[j] = now;
    }
  }

  void step_drawn(const Gradient& gradient, double size, double s) {
    double* w = tree_.values();
    growth_.push_back(growth_.back().then(s));
    most_ = std::max(most_, growth_.back().a);
    least_ = std::min(least_, growth_.back().a);
    count(gradient.feature, -1);
    grow_powers(s);
    for (std::size_t i = 0; i < gradient.feature.size(); ++i) {
      const std::size_t j = gradient.feature[i];
      w[j] *= std::exp(s * w[j] - size * gradient.value[i]);
      heaviest_ = std::max(heaviest_, w[j]);
      if (seen_[j] == 0) touched_.push_back(j);
      seen_[j] = std::uint32_t(growth_.size() - 1);
    }
    count(gradient.feature, 1);
    tree_.add_up(gradient.feature);
  }

  void count(const std::vector<std::size_t>& features, double sign) {
    for (std::size_t j : features) {
      double power = sign * tree_[j];
      for (double& sum : powers_) sum += power *= tree_[j];
    }
  }

  // The sum of (w exp(s w))^m, from those of higher powers.
  void grow_powers(double s) {
    for (std::size_t i = 0; i < kPowers; ++i) {
      const double x = s * double(i + 2);
      double factor = 1, sum = 0;
      for (std::size_t k = i; k < kPowers; ++k) {
        sum += factor * powers_[k];
        factor *= x / double(k - i + 1);
      }
      powers_[i] = sum;
    }
  }

  void settle() override {
    settle_growth();
    tree_.add_up();
    refresh();
  }

  void settle_growth() {
    if (growth_.size() == 1) return;
    bring_up(touched_);
    kept_.clear();
    for (std::size_t j : touched_) kept_.push_back(tree_[j]);
    widest<GrowAll>(tree_.values(), size(), growth_.back());
    for (std::size_t i = 0; i < kept_.size(); ++i) tree_.values()[touched_[i]] = kept_[i];
  }

  // Starts to count anew from weights that are up to date.
  void refresh() {
    divide();
    for (std::size_t j : touched_) seen_[j] = 0;
    touched_.clear();
    growth_.assign(1, Growth{});
    most_ = least_ = 0;
    powers_.fill(0);
    heaviest_ = 0;
    widest<AddPowers>(tree_.values(), size(), powers_.data(), &heaviest_);
  }

  std::size_t lag_;
  // per feature the step at which it was last looked at; per step since all were, the growth
  std::vector<std::uint32_t> seen_;
  std::vector<Growth> growth_{Growth{}};
  std::vector<std::size_t> touched_;
  // sums of w^2, w^3, ...
  std::array<double, kPowers> powers_{};
  double heaviest_ = 0, most_ = 0, least_ = 0;
  std::vector<double> kept_;
};

}  // namespace handful
