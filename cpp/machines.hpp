// Small classifiers, trained again and again on a few rows and columns: a linear support vector
// machine, nearest neighbours, a classification tree.
//
// A `Cells` holds the rows that were drawn, each once, those to learn from first; `Sample` says how
// often each was drawn. Learning from a row that was drawn twice is learning from two equal rows. A
// machine first looks at the cells (`see`), then answers for one way of labelling its rows after the
// other (`say`): sums over columns are made once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "vectors.hpp"

namespace handful {

// Columns of numbers, one after the other, each padded with zeros.
struct Cells {
  std::size_t n_columns = 0, n_rows = 0, stride = 0;
  std::vector<double> values;

  void resize(std::size_t columns, std::size_t rows) {
    n_columns = columns;
    n_rows = rows;
    stride = padded(rows);
    values.assign(columns * stride, 0.0);
  }
  double* column(std::size_t c) { return values.data() + c * stride; }
  const double* column(std::size_t c) const { return values.data() + c * stride; }
};

// The rows of a cells: how often each is learned from and tested on. The first `n_learn` are learned
// from, the others only tested on.
struct Sample {
  std::size_t n_learn = 0;
  std::vector<double> learn, test;
};

// Labels are numbers from 0, and nothing depends on which class has which number: ties go to the class
// that was drawn first. `said` gets the answer for each row that is tested on.
class Machine {
 public:
  virtual ~Machine() = default;
  // Whether it tells only two classes apart.
  virtual bool binary() const { return false; }
  virtual void see(const Cells& cells, const Sample& sample) = 0;
  virtual void say(const std::int32_t* label, std::size_t n_classes, std::int32_t* said) = 0;
};

// ---- sums over the columns, for every two rows ----

struct Product {
  HANDFUL_INLINE static double of(double a, double b) { return a * b; }
};
struct SquaredDifference {
  HANDFUL_INLINE static double of(double a, double b) { return (a - b) * (a - b); }
};
struct Differs {
  HANDFUL_INLINE static double of(double a, double b) { return a != b ? 1.0 : 0.0; }
};

// pairs[i * padded(n) + j] for the first `rows` rows i, a multiple of four, and the first `n` rows j;
// of a symmetric matrix the upper half.
template <class Term>
struct Pairs {
  static constexpr std::size_t kHigh = 4, kWide = 8;

  HANDFUL_INLINE static void run(const Cells& cells, std::size_t rows, std::size_t n, bool symmetric,
                                 double* pairs) {
    const std::size_t stride = padded(n);
    for (std::size_t i = 0; i < rows; i += kHigh)
      for (std::size_t j = symmetric ? i / kWide * kWide : 0; j < n; j += kWide) {
        double sum[kHigh][kWide] = {};
        const double* x = cells.values.data();
        for (std::size_t c = 0; c < cells.n_columns; ++c, x += cells.stride)
          for (std::size_t a = 0; a < kHigh; ++a)
            for (std::size_t b = 0; b < kWide; ++b) sum[a][b] += Term::of(x[i + a], x[j + b]);
        for (std::size_t a = 0; a < kHigh; ++a)
          for (std::size_t b = 0; b < kWide; ++b) pairs[(i + a) * stride + j + b] = sum[a][b];
      }
  }
};

// ---- linear support vector machine ----

// The dual problem with a free intercept, as libsvm has it: signed coefficients beta of sum 0, each
// between its bounds, and what is left of the labels, `left` = y - K beta. The pair that promises most
// is moved, again and again, until none violates the optimum by more than a tolerance.
struct Dual {
  std::size_t n;  // padded
  const double* gram;
  double *beta, *left;
  const double *low, *high;
};

struct Smo {
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr double kFlat = 1e-12;
  using Lanes = double[kSumLanes];

  // The intercept.
  HANDFUL_INLINE static double run(const Dual& dual, double tolerance) {
    double top = 0, bottom = 0;
    for (std::size_t round = 0; round < 200 * dual.n; ++round) {
      const std::size_t up = highest(dual, &top);
      const std::size_t down = partner(dual, up, top, &bottom);
      if (top - bottom <= tolerance) break;
      move(dual, up, down);
    }
    return (top + bottom) / 2;
  }

 private:
  // Who may grow, and has most left.
  HANDFUL_INLINE static std::size_t highest(const Dual& dual, double* top) {
    Lanes most, where;
    for (std::size_t l = 0; l < kSumLanes; ++l) most[l] = -kNever, where[l] = 0;
    for (std::size_t i = 0; i < dual.n; i += kSumLanes)
      for (std::size_t l = 0; l < kSumLanes; ++l) {
        const double value = dual.beta[i + l] < dual.high[i + l] ? dual.left[i + l] : -kNever;
        where[l] = value > most[l] ? double(i + l) : where[l];
        most[l] = value > most[l] ? value : most[l];
      }
    return first_of(most, where, top);
  }

  // Who may shrink, and with whom the objective gains most; `bottom` is the least that is left.
  HANDFUL_INLINE static std::size_t partner(const Dual& dual, std::size_t up, double top,
                                            double* bottom) {
    const double* row = dual.gram + up * dual.n;
    const double own = row[up];
    Lanes most, where, least;
    for (std::size_t l = 0; l < kSumLanes; ++l) most[l] = -1, where[l] = 0, least[l] = kNever;
    for (std::size_t j = 0; j < dual.n; j += kSumLanes)
      for (std::size_t l = 0; l < kSumLanes; ++l) {
        const double value = dual.beta[j + l] > dual.low[j + l] ? dual.left[j + l] : kNever;
        least[l] = value < least[l] ? value : least[l];
        const double apart = top - value;
        const double bend = own + dual.gram[(j + l) * (dual.n + 1)] - 2 * row[j + l];
        const double gain = apart > 0 ? apart * apart / (bend > kFlat ? bend : kFlat) : -1;
        where[l] = gain > most[l] ? double(j + l) : where[l];
        most[l] = gain > most[l] ? gain : most[l];
      }
    *bottom = *std::min_element(least, least + kSumLanes);
    double gain = 0;
    return first_of(most, where, &gain);
  }

  HANDFUL_INLINE static std::size_t first_of(const Lanes& most, const Lanes& where, double* value) {
    std::size_t best = 0;
    for (std::size_t l = 1; l < kSumLanes; ++l)
      if (most[l] > most[best] || (most[l] == most[best] && where[l] < where[best])) best = l;
    *value = most[best];
    return std::size_t(where[best]);
  }

  HANDFUL_INLINE static void move(const Dual& dual, std::size_t up, std::size_t down) {
    const double *a = dual.gram + up * dual.n, *b = dual.gram + down * dual.n;
    const double bend = std::max(kFlat, a[up] + b[down] - 2 * a[down]);
    const double room_up = dual.high[up] - dual.beta[up], room_down = dual.beta[down] - dual.low[down];
    const double step = (dual.left[up] - dual.left[down]) / bend;
    // at a bound exactly, so that it counts as reached
    if (step >= room_up && room_up <= room_down) {
      shift(dual, up, down, room_up);
      dual.beta[up] = dual.high[up];
    } else if (step >= room_down) {
      shift(dual, up, down, room_down);
      dual.beta[down] = dual.low[down];
    } else {
      shift(dual, up, down, step);
    }
  }

  HANDFUL_INLINE static void shift(const Dual& dual, std::size_t up, std::size_t down, double step) {
    const double *a = dual.gram + up * dual.n, *b = dual.gram + down * dual.n;
    for (std::size_t i = 0; i < dual.n; ++i) dual.left[i] -= step * (a[i] - b[i]);
    dual.beta[up] += step;
    dual.beta[down] -= step;
  }
};

class LinearSvm final : public Machine {
 public:
  LinearSvm(double C, double tolerance) : C_(C), tolerance_(tolerance) {}
  bool binary() const override { return true; }

  void see(const Cells& cells, const Sample& sample) override {
    cells_ = &cells;
    sample_ = &sample;
    const std::size_t n = padded(sample.n_learn);
    gram_.resize(n * n);
    widest<Pairs<Product>>(cells, n, n, true, gram_.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) gram_[i * n + j] = gram_[j * n + i];
  }

  void say(const std::int32_t* label, std::size_t, std::int32_t* said) override {
    const std::size_t n = padded(sample_->n_learn);
    for (auto* numbers : {&beta_, &left_, &low_, &high_}) numbers->assign(n, 0.0);
    for (std::size_t i = 0; i < sample_->n_learn; ++i) {
      left_[i] = label[i] == label[0] ? 1.0 : -1.0;
      (label[i] == label[0] ? high_ : low_)[i] = left_[i] * C_ * sample_->learn[i];
    }
    const Dual dual{n, gram_.data(), beta_.data(), left_.data(), low_.data(), high_.data()};
    const double intercept = widest<Smo>(dual, tolerance_);
    value_.resize(cells_->stride);
    widest<Decide>(*cells_, beta_.data(), sample_->n_learn, value_.data());
    for (std::size_t i = 0; i < cells_->n_rows; ++i) said[i] = value_[i] + intercept >= 0 ? label[0] : 1 - label[0];
  }

 private:
  struct Decide {
    HANDFUL_INLINE static void run(const Cells& cells, const double* beta, std::size_t n_learn,
                                   double* value) {
      const std::size_t n = padded(n_learn);
      for (std::size_t i = 0; i < cells.stride; ++i) value[i] = 0;
      for (std::size_t c = 0; c < cells.n_columns; ++c) {
        const double* x = cells.column(c);
        const double weight = dot(x, beta, n);
        for (std::size_t i = 0; i < cells.stride; ++i) value[i] += weight * x[i];
      }
    }
  };

  double C_, tolerance_;
  const Cells* cells_ = nullptr;
  const Sample* sample_ = nullptr;
  std::vector<double> gram_, beta_, left_, low_, high_, value_;
};

// ---- nearest neighbours ----

// The vote of the `n_neighbors` nearest rows; of equally near ones those drawn first, of equally
// frequent classes the one that is nearest.
template <class Term>
class Nearest final : public Machine {
 public:
  explicit Nearest(std::size_t n_neighbors) : n_neighbors_(n_neighbors) {}

  void see(const Cells& cells, const Sample& sample) override {
    sample_ = &sample;
    n_rows_ = cells.n_rows;
    distance_.resize(cells.stride * padded(sample.n_learn));
    widest<Pairs<Term>>(cells, cells.stride, sample.n_learn, false, distance_.data());
  }

  void say(const std::int32_t* label, std::size_t n_classes, std::int32_t* said) override {
    for (std::size_t i = 0; i < n_rows_; ++i)
      if (sample_->test[i] > 0) said[i] = vote(distance_.data() + i * padded(sample_->n_learn), label, n_classes);
  }

 private:
  std::int32_t vote(const double* distance, const std::int32_t* label, std::size_t n_classes) {
    near_.clear();
    for (std::size_t j = 0; j < sample_->n_learn; ++j) near_.emplace_back(distance[j], j);
    const std::size_t some = std::min(n_neighbors_, near_.size());
    std::partial_sort(near_.begin(), near_.begin() + std::ptrdiff_t(some), near_.end());
    votes_.assign(n_classes, 0.0);
    double open = double(n_neighbors_);
    for (std::size_t j = 0; j < some && open > 0; ++j) {
      const double times = std::min(open, sample_->learn[near_[j].second]);
      votes_[std::size_t(label[near_[j].second])] += times;
      open -= times;
    }
    const double most = *std::max_element(votes_.begin(), votes_.end());
    std::size_t first = 0;
    while (votes_[std::size_t(label[near_[first].second])] < most) ++first;
    return label[near_[first].second];
  }

  std::size_t n_neighbors_, n_rows_ = 0;
  const Sample* sample_ = nullptr;
  std::vector<double> distance_, votes_;
  std::vector<std::pair<double, std::size_t>> near_;
};

}  // namespace handful
