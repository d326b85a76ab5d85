// Weights of features, a point of the simplex, and the four ways of moving it against a noisy gradient
// (Gadat and Younes 2007): along the hyperplane of sum 1, in the geometry in which the boundary is
// infinitely far away, by a diffusion that is put back on the simplex, and by multiplicative weights.
//
// A step costs what the drawn features cost, not all of them: what happens to the others is a function
// of their weight alone, kept as a few numbers and applied when a feature is drawn, and to all of them
// now and then (`settle`). The diffusion alone moves every weight in every step.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "sum_tree.hpp"

namespace handful {

// The sum over the drawn subsets of how often each feature was drawn, times what was lost; features
// in order of their first appearance.
struct Gradient {
  std::vector<std::size_t> feature;
  std::vector<double> value;
};

class Weights {
 public:
  explicit Weights(const std::vector<double>& start) : tree_(start.size()) {
    std::copy(start.begin(), start.end(), tree_.values());
    tree_.add_up();
  }
  virtual ~Weights() = default;

  std::size_t size() const { return tree_.size(); }

  // The feature that a uniform number of 0 .. 1 stands for.
  virtual std::size_t draw(double uniform) const {
    double share;
    return tree_.find(uniform * tree_.total(), 0, &share);
  }

  // One step of `size` against the gradient; `noise` has a normal number per feature where the method
  // wants them. False where that would leave the simplex: the weights are as before.
  virtual bool step(const Gradient& gradient, double size, const double* noise) = 0;

  // The weights themselves, all up to date and of sum 1.
  const double* settled() {
    settle();
    return tree_.values();
  }

 protected:
  virtual void settle() { divide(); }

  // By their sum, so that it is 1.
  void divide() {
    double *w = tree_.values(), total = tree_.total();
    for (std::size_t j = 0; j < size(); ++j) w[j] /= total;
    tree_.add_up();
  }

  SumTree tree_;
};

// ---- along the hyperplane ----

// The nearest point of the simplex, by sorting: max(x - t, 0) for the t that gives it the sum 1.
inline void project_on_simplex(double* x, std::size_t n, std::vector<double>& sorted) {
  sorted.assign(x, x + n);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, shift = 0;
  for (std::size_t j = 0; j < n; ++j) {
    sum += sorted[j];
    const double t = (sum - 1) / double(j + 1);
    if (sorted[j] - t <= 0) break;
    shift = t;
  }
  for (std::size_t j = 0; j < n; ++j) x[j] = std::max(x[j] - shift, 0.0);
}

// P - size * (C q / P - its mean over all features). What every feature gets is one number, `more_`.
class Euclidean final : public Weights {
 public:
  Euclidean(const std::vector<double>& start, bool clip) : Weights(start), clip_(clip) { settle(); }

  std::size_t draw(double uniform) const override {
    double share;
    const double total = tree_.total() + more_ * double(size());
    return tree_.find(uniform * total, more_, &share);
  }

  bool step(const Gradient& gradient, double size, const double*) override {
    if (++since_ >= kOften) settle();
    double *w = tree_.values(), sum = 0, lowest = lowest_;
    before_.resize(gradient.feature.size());
    for (std::size_t i = 0; i < before_.size(); ++i) {
      double& own = w[gradient.feature[i]];
      before_[i] = own;
      const double change = size * gradient.value[i] / (own + more_);
      own -= change;
      sum += change;
      lowest = std::min(lowest, own);
    }
    const double more = more_;
    more_ += sum / double(this->size());
    lowest_ = lowest;
    tree_.add_up(gradient.feature);
    // the lowest may have risen since it was noted
    if (lowest + more_ <= 0) find_lowest();
    if (lowest_ + more_ > 0 || (clip_ && lowest_ + more_ == 0)) return true;
    if (clip_) return settle(), true;
    for (std::size_t i = 0; i < before_.size(); ++i) w[gradient.feature[i]] = before_[i];
    more_ = more;
    tree_.add_up(gradient.feature);
    find_lowest();
    return false;
  }

 private:
  // Steps after which rounding is cleared away.
  static constexpr std::size_t kOften = 4096;

  void settle() override {
    double* w = tree_.values();
    for (std::size_t j = 0; j < size(); ++j) w[j] += more_;
    more_ = 0;
    since_ = 0;
    if (clip_) project_on_simplex(w, size(), sorted_);
    tree_.add_up();
    divide();
    find_lowest();
  }

  void find_lowest() {
    lowest_ = *std::min_element(tree_.values(), tree_.values() + size());
  }

  bool clip_;
  double more_ = 0, lowest_ = 0;
  std::size_t since_ = 0;
  std::vector<double> before_, sorted_;
};

// P - size * C q / P + root(size) * sigma * noise, put back on the simplex.
class Diffusion final : public Weights {
 public:
  Diffusion(const std::vector<double>& start, double sigma) : Weights(start), sigma_(sigma) {}

  bool step(const Gradient& gradient, double size, const double* noise) override {
    double* w = tree_.values();
    for (std::size_t i = 0; i < gradient.feature.size(); ++i) {
      double& own = w[gradient.feature[i]];
      own -= size * gradient.value[i] / own;
    }
    const double spread = std::sqrt(size) * sigma_;
    for (std::size_t j = 0; j < this->size(); ++j) w[j] += spread * noise[j];
    project_on_simplex(w, this->size(), sorted_);
    tree_.add_up();
    return true;
  }

 private:
  double sigma_;
  std::vector<double> sorted_;
};

// ---- by factors ----

// P * exp(-size * C q), normalised.
class Multiplicative final : public Weights {
 public:
  using Weights::Weights;

  bool step(const Gradient& gradient, double size, const double*) override {
    double *w = tree_.values(), largest = 0;
    for (double value : gradient.value) largest = std::max(largest, -size * value);
    // the others rather shrink than these overflow
    const double shrink = largest > 1 ? largest : 0;
    if (shrink > 0)
      for (std::size_t j = 0; j < this->size(); ++j) w[j] *= std::exp(-shrink);
    for (std::size_t i = 0; i < gradient.feature.size(); ++i) {
      double& own = w[gradient.feature[i]];
      own *= std::exp(-size * gradient.value[i]);
    }
    if (shrink > 0) tree_.add_up();
    else tree_.add_up(gradient.feature);
    if (!(tree_.total() > 1e-30 && tree_.total() < 1e30)) divide();
    return true;
  }
};

// P * exp(-size * (C q - kappa P)), normalised, with kappa = sum C q P / sum P^2.
//
// A feature that is not drawn grows by exp(s w) in a step, where w is its weight before it is divided
// by the sum and s is the same for all. Steps s_1, s_2, ... one after the other make
//     log w + a w + b w^2 + c w^3 + ...,  a = sum s_i,  b = sum_{i<j} s_i s_j,
//     c = sum_{i<j<k} s_i s_j s_k + sum_{i<j} s_i^2 s_j / 2,
// and what is left out is below (a w)^4. So a feature notes at which step it was last looked at, and
// what it missed since follows from a, b, c then and now. All are brought up to date before a w gets
// large for the heaviest, and after `lag` steps. The sums of w, w^2, ... follow from each other.
class Riemannian final : public Weights {
 public:
  Riemannian(const std::vector<double>& start, std::size_t lag)
      : Weights(start), lag_(lag), seen_(start.size()) {
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
    double *w = tree_.values(), above = 0, largest = 0;
    for (std::size_t i = 0; i < gradient.feature.size(); ++i) {
      above += gradient.value[i] * w[gradient.feature[i]];
      largest = std::max(largest, std::abs(size * gradient.value[i]));
    }
    // kappa P, by whatever all weights are divided
    const double s = size * above / powers_[0];
    if (lag_ == 1 || largest > 1 || std::abs(s) * heaviest_ > kSmall) return step_all(gradient, size, s);
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

  // Every weight now, whatever the size of the step.
  bool step_all(const Gradient& gradient, double size, double s) {
    settle_growth();
    double* w = tree_.values();
    exponent_.resize(this->size());
    for (std::size_t j = 0; j < this->size(); ++j) exponent_[j] = s * w[j];
    for (std::size_t i = 0; i < gradient.feature.size(); ++i)
      exponent_[gradient.feature[i]] -= size * gradient.value[i];
    const double most = *std::max_element(exponent_.begin(), exponent_.end());
    for (std::size_t j = 0; j < this->size(); ++j) w[j] *= std::exp(exponent_[j] - most);
    tree_.add_up();
    refresh();
    return true;
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
  std::vector<double> exponent_, kept_;
};

}  // namespace handful
