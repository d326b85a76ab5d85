// Weights of features, a point of the simplex, and the four ways of moving it against a noisy gradient
// (Gadat and Younes 2007): along the hyperplane of sum 1, in the geometry in which the boundary is
// infinitely far away, by a diffusion that is put back on the simplex, and by multiplicative weights.
//
// A step costs what the drawn features cost, not all of them: what happens to the others is a function
// of their weight alone, kept as a few numbers and applied when a feature is drawn, and to all of them
// now and then (`settle`). The diffusion alone moves every weight in every step.
#pragma once

#include <cmath>
#include <functional>
#include <limits>

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

class ByFactors : public Weights {
 public:
  using Weights::Weights;

 protected:
  // Above it, exponents are taken relative to the largest, so that no weight overflows and not all
  // vanish.
  static constexpr double kLarge = 1;

  static double largest(const Gradient& gradient, double size) {
    double most = 0;
    for (double value : gradient.value) most = std::max(most, std::abs(size * value));
    return most;
  }

  // Every weight by a factor, whatever the size of the step: exp(s w) and that of the gradient.
  void scale_all(const Gradient& gradient, double size, double s) {
    double *w = tree_.values(), most = -std::numeric_limits<double>::infinity();
    exponent_.resize(this->size());
    for (std::size_t j = 0; j < this->size(); ++j) exponent_[j] = s * w[j];
    for (std::size_t i = 0; i < gradient.feature.size(); ++i)
      exponent_[gradient.feature[i]] -= size * gradient.value[i];
    for (std::size_t j = 0; j < this->size(); ++j)
      if (w[j] > 0) most = std::max(most, exponent_[j]);
    for (std::size_t j = 0; j < this->size(); ++j)
      if (w[j] > 0) w[j] *= std::exp(exponent_[j] - most);
    tree_.add_up();
  }

 private:
  std::vector<double> exponent_;
};

// P * exp(-size * C q), normalised.
class Multiplicative final : public ByFactors {
 public:
  using ByFactors::ByFactors;

  bool step(const Gradient& gradient, double size, const double*) override {
    if (largest(gradient, size) > kLarge) {
      scale_all(gradient, size, 0);
    } else {
      double* w = tree_.values();
      for (std::size_t i = 0; i < gradient.feature.size(); ++i)
        w[gradient.feature[i]] *= std::exp(-size * gradient.value[i]);
      tree_.add_up(gradient.feature);
    }
    if (!(tree_.total() > 1e-30 && tree_.total() < 1e30)) divide();
    return true;
  }
};

}  // namespace handful
