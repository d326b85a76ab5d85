// Optimal feature weighting (Gadat and Younes 2007): draw subsets of features by their weights, see how
// well a classifier does on each, and move the weights.
//
// All that is random comes from outside, so many steps at a time; subsets of one step are judged in
// parallel, and the weights move in one thread.
#pragma once

#include <optional>

#include "riemannian.hpp"
#include "subsets.hpp"
#include "tree.hpp"

namespace handful {

// What chance has to give to a number of steps: for each subset of each step a uniform number per
// feature, and rows to learn from and to test on; per step and feature of the table normal noise, or
// nothing.
struct Chance {
  const double* uniform;
  const std::int32_t* rows;
  const double* noise;
  std::size_t n_steps, n_subsets, subset_size, sample_size;
};

// By how much errors are above a baseline that does not depend on their own draw: a number from the
// past or, without one, the mean of the other subsets of the step.
inline std::vector<double> losses_of(const double* errors, std::size_t n, std::optional<double> past) {
  std::vector<double> losses(errors, errors + n);
  double sum = 0;
  for (double error : losses) sum += error;
  for (double& loss : losses) loss -= past ? *past : (sum - loss) / double(n - 1);
  return losses;
}

// Sums up what was drawn: how often each feature was times what was lost, the mean over subsets.
class Adder {
 public:
  explicit Adder(std::size_t n_features) : place_(n_features, -1) {}

  const Gradient& add(const std::vector<std::size_t>& features, const std::vector<double>& losses) {
    gradient_.feature.clear();
    gradient_.value.clear();
    const std::size_t k = features.size() / losses.size();
    for (std::size_t i = 0; i < features.size(); ++i) {
      std::int64_t& place = place_[features[i]];
      if (place < 0) {
        place = std::int64_t(gradient_.feature.size());
        gradient_.feature.push_back(features[i]);
        gradient_.value.push_back(0);
      }
      gradient_.value[std::size_t(place)] += losses[i / k] / double(losses.size());
    }
    for (std::size_t j : gradient_.feature) place_[j] = -1;
    return gradient_;
  }

 private:
  std::vector<std::int64_t> place_;
  Gradient gradient_;
};

struct Lesson {
  std::vector<double> errors;  // of every subset
  std::size_t n_steps = 0;     // fewer than asked for where the weights would have left the simplex
};

// `sizes` has the size of each step; see `losses_of` for the baseline.
inline Lesson learn(Weights& weights, Judges& judges, const Chance& chance, const double* sizes,
                    std::optional<double> baseline, Team& team) {
  Lesson lesson;
  lesson.errors.resize(chance.n_steps * chance.n_subsets);
  std::vector<std::size_t> features(chance.n_subsets * chance.subset_size);
  Adder adder(weights.size());
  const std::size_t k = chance.subset_size, n = chance.sample_size;
  for (; lesson.n_steps < chance.n_steps; ++lesson.n_steps) {
    const std::size_t first = lesson.n_steps * chance.n_subsets;
    double* errors = lesson.errors.data() + first;
    team.each(chance.n_subsets, 1, [&](const Share& share) {
      const std::size_t b = share.index;
      for (std::size_t i = 0; i < k; ++i)
        features[b * k + i] = weights.draw(chance.uniform[(first + b) * k + i]);
      const std::int32_t* rows = chance.rows + (first + b) * 2 * n;
      errors[b] = judges[std::size_t(share.worker)]->error({&features[b * k], k, rows, rows + n, n});
    });
    const double* noise = chance.noise ? chance.noise + lesson.n_steps * weights.size() : nullptr;
    const Gradient& gradient = adder.add(features, losses_of(errors, chance.n_subsets, baseline));
    if (!weights.step(gradient, sizes[lesson.n_steps], noise)) break;
  }
  lesson.errors.resize(lesson.n_steps * chance.n_subsets);
  return lesson;
}

}  // namespace handful
