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

// Columns of numbers, one after the other, each padded with zeros. One more column of zeros follows:
// where `Pairs` asks for four rows, GCC 12 fills a register of eight with four of the next column, and
// reads them after the last one, too.
struct Cells {
  std::size_t n_columns = 0, n_rows = 0, stride = 0;
  std::vector<double> values;

  void resize(std::size_t columns, std::size_t rows) {
    n_columns = columns;
    n_rows = rows;
    stride = padded(rows);
    values.assign((columns + 1) * stride, 0.0);
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
// is moved, again and again, until none violates the optimum by more than a tolerance. (support.hpp
// solves the same to the last digit, for a few large problems; this one thousands of small ones.)
struct Dual {
  std::size_t n = 0;  // padded
  std::vector<double> gram, diagonal, beta, left, low, high, gains;
  // 0 for those that may, and minus infinity for the others
  std::vector<double> grows, shrinks;

  void start(std::size_t rows) {
    n = rows;
    for (auto* numbers : {&diagonal, &beta, &left, &low, &high, &gains}) numbers->assign(n, 0.0);
    for (auto* may : {&grows, &shrinks}) may->assign(n, -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < n; ++i) diagonal[i] = gram[i * n + i];
  }
  void allow(std::size_t i, double from, double to) {
    low[i] = from;
    high[i] = to;
    set(i, 0);
  }
  HANDFUL_INLINE void set(std::size_t i, double value) {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    beta[i] = value;
    grows[i] = value < high[i] ? 0 : kNever;
    shrinks[i] = value > low[i] ? 0 : kNever;
  }
};

struct Smo {
  static constexpr double kFlat = 1e-12;

  // The intercept.
  HANDFUL_INLINE static double run(Dual* dual, double tolerance) {
    double top = 0, gap = 0;
    std::size_t up = shift(*dual, 0, 0, 0, &top);
    for (std::size_t round = 0; round < 200 * dual->n; ++round) {
      const std::size_t down = partner(*dual, up, top, &gap);
      if (gap <= tolerance) break;
      up = move(*dual, up, down, &top);
    }
    return top - gap / 2;
  }

 private:
  // Of those that may shrink, with whom the objective gains most; `gap` is how far the one with the
  // least left is below `top`, negative where any intercept between the two will do.
  HANDFUL_INLINE static std::size_t partner(Dual& dual, std::size_t up, double top, double* gap) {
    const double *row = dual.gram.data() + up * dual.n, *left = dual.left.data();
    const double *diagonal = dual.diagonal.data(), *shrinks = dual.shrinks.data();
    double* gains = dual.gains.data();
    const double own = row[up];
    double most[kSumLanes] = {}, apart[kSumLanes];
    for (double& value : apart) value = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < dual.n; j += kSumLanes) {
      double far[kSumLanes], gain[kSumLanes];
      for (std::size_t l = 0; l < kSumLanes; ++l) {
        const double below = top - left[j + l] + shrinks[j + l];
        apart[l] = below > apart[l] ? below : apart[l];
        far[l] = below > 0 ? below : 0;
      }
      for (std::size_t l = 0; l < kSumLanes; ++l) {
        const double bend = own + diagonal[j + l] - 2 * row[j + l];
        gain[l] = far[l] * far[l] / (bend > kFlat ? bend : kFlat);
      }
      for (std::size_t l = 0; l < kSumLanes; ++l) most[l] = gain[l] > most[l] ? gain[l] : most[l];
      for (std::size_t l = 0; l < kSumLanes; ++l) gains[j + l] = gain[l];
    }
    *gap = *std::max_element(apart, apart + kSumLanes);
    return std::size_t(std::find(gains, gains + dual.n, *std::max_element(most, most + kSumLanes)) -
                       gains);
  }

  // As far as the objective gains, or to a bound: there exactly, so that it counts as reached.
  HANDFUL_INLINE static std::size_t move(Dual& dual, std::size_t up, std::size_t down, double* top) {
    const double bend = dual.diagonal[up] + dual.diagonal[down] - 2 * dual.gram[up * dual.n + down];
    const double wish = (dual.left[up] - dual.left[down]) / std::max(kFlat, bend);
    const double room_up = dual.high[up] - dual.beta[up], room_down = dual.beta[down] - dual.low[down];
    const double step = std::min({wish, room_up, room_down});
    dual.set(up, step == room_up ? dual.high[up] : dual.beta[up] + step);
    dual.set(down, step == room_down ? dual.low[down] : dual.beta[down] - step);
    return shift(dual, up, down, step, top);
  }

  // What is left after a step, and of those that may grow the one that has most.
  HANDFUL_INLINE static std::size_t shift(Dual& dual, std::size_t up, std::size_t down, double step,
                                          double* top) {
    const double *a = dual.gram.data() + up * dual.n, *b = dual.gram.data() + down * dual.n;
    const double* grows = dual.grows.data();
    double *left = dual.left.data(), *gains = dual.gains.data();
    double most[kSumLanes];
    for (double& value : most) value = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < dual.n; i += kSumLanes) {
      double now[kSumLanes], may[kSumLanes];
      for (std::size_t l = 0; l < kSumLanes; ++l) now[l] = left[i + l] - step * (a[i + l] - b[i + l]);
      for (std::size_t l = 0; l < kSumLanes; ++l) may[l] = now[l] + grows[i + l];
      for (std::size_t l = 0; l < kSumLanes; ++l) most[l] = may[l] > most[l] ? may[l] : most[l];
      for (std::size_t l = 0; l < kSumLanes; ++l) left[i + l] = now[l];
      for (std::size_t l = 0; l < kSumLanes; ++l) gains[i + l] = may[l];
    }
    *top = *std::max_element(most, most + kSumLanes);
    return std::size_t(std::find(gains, gains + dual.n, *top) - gains);
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
    std::vector<double>& gram = dual_.gram;
    gram.resize(n * n);
    widest<Pairs<Product>>(cells, n, n, true, gram.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) gram[i * n + j] = gram[j * n + i];
  }

  void say(const std::int32_t* label, std::size_t, std::int32_t* said) override {
    dual_.start(padded(sample_->n_learn));
    for (std::size_t i = 0; i < sample_->n_learn; ++i) {
      const double most = C_ * sample_->learn[i];
      dual_.left[i] = label[i] == label[0] ? 1.0 : -1.0;
      dual_.allow(i, label[i] == label[0] ? 0 : -most, label[i] == label[0] ? most : 0);
    }
    const double intercept = widest<Smo>(&dual_, tolerance_);
    value_.resize(cells_->stride);
    widest<Decide>(*cells_, dual_.beta.data(), sample_->n_learn, value_.data());
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
  Dual dual_;
  std::vector<double> value_;
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
