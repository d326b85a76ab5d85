// Recursive elimination by ridge regression, one column at a time, as if refitted at every step.
//
// `DualRidge`: more columns than rows. With K = XX' + alpha I and dual coefficients A = K^-1 Y a
// column's weights are x'A. Without the column x, and with u = K^-1 x and q = 1 - x'u,
//     K^-1 grows by u u' / q   and   A by u (x'A) / q:
// no work on the other columns at all, and `Weakest` looks at few of them. Every pass over the
// columns also finds what the present coefficients leave of the equations, and mends them; where the
// inverse is no longer good enough to mend them, it ends, for the caller to make a new one.
//
// `PrimalRidge`: the triangular factor R of the columns with sqrt(alpha) I below them; a column is
// taken out and R made triangular again by rotations, so that nothing cancels.
#pragma once

#include "weakest.hpp"

namespace handful {

struct Eliminated {
  std::vector<std::int64_t> columns;
  std::vector<double> scores;

  void add(Weak weak) {
    columns.push_back(std::int64_t(weak.column));
    scores.push_back(weak.score);
  }
};

class DualRidge {
 public:
  // `targets` has a vector for each target. `inverse` is (XX' + alpha I)^-1.
  DualRidge(Vectors columns, Vectors targets, Vectors inverse, double alpha, const std::uint8_t* kept)
      : weakest_(std::move(columns), kept), targets_(std::move(targets)),
        inverse_(std::move(inverse)), dual_(targets_.n, targets_.length), alpha_(alpha),
        u_(inverse_.stride), change_(dual_) {
    for (std::size_t t = 0; t < targets_.n; ++t) widest<Multiply>(inverse_, targets_[t], dual_[t]);
  }

  // Until no more columns are left than rows, or than are kept, or the inverse is used up.
  Eliminated run(Team& team) {
    Eliminated gone;
    const std::size_t n_kept = weakest_.columns().n - weakest_.n_candidates();
    while (weakest_.n_candidates() > 0 &&
           n_kept + weakest_.n_candidates() > inverse_.n) {
      std::optional<Weak> weak;
      if (since_mended_ < kOften && growth_ < kMuch) weak = weakest_.find(dual_);
      if (!weak && !mend(team) && !gone.columns.empty()) break;
      while (!weak && !(weak = weakest_.find(dual_))) weakest_.refer(dual_, team);
      const bool sound = remove(weak->column);
      gone.add(*weak);
      team.check();
      if (!sound) break;
    }
    return gone;
  }

 private:
  // Passes over all columns at least so often, and where the determinant has shrunk so much since.
  static constexpr std::size_t kOften = 256;
  static constexpr double kMuch = 1e4;
  // A share of K that a column may take with it before the inverse is worth nothing.
  static constexpr double kTooMuch = 1e-7;

  bool remove(std::size_t column) {
    const double* x = weakest_.columns()[column];
    widest<Multiply>(inverse_, x, u_.data());
    const double q = 1 - widest<Dot>(x, u_.data(), u_.size());
    weakest_.remove(column);
    if (!(q > kTooMuch)) return false;
    for (std::size_t t = 0; t < dual_.n; ++t)
      widest<AddTimes>(dual_[t], widest<Dot>(x, dual_[t], dual_.stride) / q, u_.data(), u_.size());
    widest<AddSquare>(&inverse_, 1 / q, u_.data());
    ++since_mended_;
    growth_ /= q;
    return true;
  }

  // One step of iterative refinement; false where the inverse is too far off to be used again.
  bool mend(Team& team) {
    weakest_.refer(dual_, team);
    const Vectors product = times_columns(team);
    double moved = 0, size = 0;
    std::vector<double> rest(dual_.stride);
    for (std::size_t t = 0; t < dual_.n; ++t) {
      for (std::size_t i = 0; i < dual_.length; ++i)
        rest[i] = targets_[t][i] - product[t][i] - alpha_ * dual_[t][i];
      widest<Multiply>(inverse_, rest.data(), change_[t]);
      widest<AddTimes>(dual_[t], 1.0, change_[t], dual_.stride);
      moved += widest<Dot>(change_[t], change_[t], dual_.stride);
      size += widest<Dot>(dual_[t], dual_[t], dual_.stride);
    }
    since_mended_ = 0;
    growth_ = 1;
    return moved <= 1e-18 * size;
  }

  // X w for the weights of the last pass, summed block by block.
  Vectors times_columns(Team& team) {
    const auto& present = weakest_.present();
    const auto& weights = weakest_.weights();
    std::vector<Vectors> parts(block_count(present.size(), kBlock));
    team.each(present.size(), kBlock, [&](const Share& share) {
      Vectors& part = parts[share.index];
      part = Vectors(dual_.n, dual_.length);
      for (std::size_t k = share.begin; k < share.end; ++k)
        for (std::size_t t = 0; t < dual_.n; ++t)
          widest<AddTimes>(part[t], weights[k * dual_.n + t], weakest_.columns()[present[k]],
                           part.stride);
    });
    Vectors sum(dual_.n, dual_.length);
    for (const Vectors& part : parts)
      widest<AddTimes>(sum.values.data(), 1.0, part.values.data(), sum.values.size());
    return sum;
  }

  static constexpr std::size_t kBlock = 512;

  Weakest weakest_;
  Vectors targets_, inverse_, dual_;
  double alpha_;
  std::vector<double> u_;
  Vectors change_;
  std::size_t since_mended_ = 0;
  double growth_ = 1;
};

class PrimalRidge {
 public:
  // `factor` is upper triangular, with `factor' factor` = X'X + alpha I; `rotated` has a vector for
  // each of its rows and a number per target.
  PrimalRidge(Vectors columns, Vectors targets, Vectors factor, Vectors rotated, double alpha,
              const std::uint8_t* kept)
      : columns_(std::move(columns)), targets_(std::move(targets)), factor_(std::move(factor)),
        rotated_(std::move(rotated)), weights_(factor_.n, targets_.n), change_(weights_),
        column_(factor_.n), kept_(kept, kept + factor_.n), alpha_(alpha) {
    for (std::size_t j = 0; j < factor_.n; ++j) column_[j] = j;
  }

  // Until only the kept columns are left.
  Eliminated run(Team& team) {
    Eliminated gone;
    for (auto left = std::count(kept_.begin(), kept_.end(), 0); left > 0; --left) {
      solve();
      const std::size_t place = weakest_place();
      gone.add({column_[place], score_[place]});
      remove(place);
      team.check();
    }
    return gone;
  }

 private:
  // The weights, and one step of refinement: it makes equals of columns that are duplicates.
  void solve() {
    const std::size_t n = column_.size();
    std::copy_n(rotated_[0], n * rotated_.stride, weights_[0]);
    solve_upper(weights_);
    const Vectors rest = residuals();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t t = 0; t < targets_.n; ++t)
        change_[i][t] = widest<Dot>(columns_[column_[i]], rest[t], rest.stride) -
                        alpha_ * weights_[i][t];
    solve_lower(change_);
    solve_upper(change_);
    widest<AddTimes>(weights_[0], 1.0, change_[0], n * weights_.stride);
    score_.resize(n);
    for (std::size_t i = 0; i < n; ++i) score_[i] = norm(weights_[i], weights_.stride);
  }

  Vectors residuals() const {
    Vectors rest = targets_;
    for (std::size_t i = 0; i < column_.size(); ++i)
      for (std::size_t t = 0; t < rest.n; ++t)
        widest<AddTimes>(rest[t], -weights_[i][t], columns_[column_[i]], rest.stride);
    return rest;
  }

  void solve_upper(Vectors& x) const {
    for (std::size_t i = column_.size(); i-- > 0;) {
      for (std::size_t k = i + 1; k < column_.size(); ++k)
        widest<AddTimes>(x[i], -factor_[i][k], x[k], x.stride);
      divide(x[i], factor_[i][i], x.stride);
    }
  }

  void solve_lower(Vectors& x) const {
    for (std::size_t i = 0; i < column_.size(); ++i) {
      divide(x[i], factor_[i][i], x.stride);
      for (std::size_t k = i + 1; k < column_.size(); ++k)
        widest<AddTimes>(x[k], -factor_[i][k], x[i], x.stride);
    }
  }

  static void divide(double* x, double by, std::size_t n) {
    for (std::size_t t = 0; t < n; ++t) x[t] /= by;
  }

  std::size_t weakest_place() const {
    std::vector<std::size_t> place;
    for (std::size_t i = 0; i < column_.size(); ++i)
      if (!kept_[i]) place.push_back(i);
    const double largest = *std::max_element(score_.begin(), score_.end());
    return place[*weakest_of(place.size(), largest, [&](std::size_t k) { return score_[place[k]]; })];
  }

  void remove(std::size_t place) {
    const std::size_t n = column_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t from = std::max(place + 1, i);
      std::copy(factor_[i] + from, factor_[i] + n, factor_[i] + from - 1);
    }
    for (std::size_t i = place; i + 1 < n; ++i) rotate(i, n - 1);
    column_.erase(column_.begin() + std::ptrdiff_t(place));
    kept_.erase(kept_.begin() + std::ptrdiff_t(place));
  }

  // Turns rows i and i + 1 so that the second loses its number below the diagonal.
  void rotate(std::size_t i, std::size_t n) {
    double *upper = factor_[i] + i, *lower = factor_[i + 1] + i;
    const double length = std::hypot(*upper, *lower);
    const double c = *upper / length, s = *lower / length;
    widest<Turn>(upper, lower, c, s, n - i);
    widest<Turn>(rotated_[i], rotated_[i + 1], c, s, rotated_.stride);
  }

  struct Turn {
    HANDFUL_INLINE static void run(double* a, double* b, double c, double s, std::size_t n) {
      for (std::size_t k = 0; k < n; ++k) {
        const double first = a[k], second = b[k];
        a[k] = c * first + s * second;
        b[k] = c * second - s * first;
      }
    }
  };

  Vectors columns_, targets_, factor_, rotated_, weights_, change_;
  std::vector<std::size_t> column_;
  std::vector<std::uint8_t> kept_;
  std::vector<double> score_;
  double alpha_;
};

}  // namespace handful
