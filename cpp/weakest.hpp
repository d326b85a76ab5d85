// The column with the smallest weight under a linear model, without looking at every column.
//
// The model is given by dual coefficients, one vector for each target: a column's weight is its
// inner product with them, its score the root of the summed squares of its weights. When the
// coefficients move by D, no score moves by more than the column's length times |D|. So after a pass
// over all columns (`refer`) the weakest is sought among a few, until the coefficients have moved so
// far that another one might be weaker: then another pass is due.
//
// Among the weakest the column with the highest index is the answer. A tie is a score within
// `kNear` of the smallest, relatively, or within rounding of the largest score.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "parallel.hpp"
#include "vectors.hpp"

namespace handful {

inline constexpr double kNear = 1e-8, kRounding = 1e-15;

struct Weak {
  std::size_t column;
  double score;
};

// The weakest of candidates given by rising index: `score(k)` is that of the k-th.
template <class Score>
std::optional<std::size_t> weakest_of(std::size_t n, double largest, const Score& score) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) least = std::min(least, score(k));
  const double limit = least + kNear * least + kRounding * largest;
  for (std::size_t k = n; k-- > 0;)
    if (score(k) <= limit) return k;
  return std::nullopt;
}

// Weights of some columns for every target, and their scores.
struct Weigh {
  HANDFUL_INLINE static void run(const Vectors& columns, const Vectors& dual, const std::uint32_t* which,
                                 const Share& share, double* weights, double* scores) {
    for (std::size_t k = share.begin; k < share.end; ++k) {
      double squares = 0;
      for (std::size_t t = 0; t < dual.n; ++t) {
        const double weight = dot(columns[which[k]], dual[t], dual.stride);
        if (weights) weights[k * dual.n + t] = weight;
        squares += weight * weight;
      }
      scores[k] = std::sqrt(squares);
    }
  }
};

class Weakest {
 public:
  // `kept` marks the columns that are never the answer.
  Weakest(Vectors columns, const std::uint8_t* kept) : columns_(std::move(columns)) {
    for (std::size_t j = 0; j < columns_.n; ++j) {
      present_.push_back(std::uint32_t(j));
      kept_.push_back(kept[j]);
      length_.push_back(norm(columns_[j], columns_.stride));
      n_candidates_ += !kept[j];
    }
  }

  const Vectors& columns() const { return columns_; }
  bool has(std::size_t j) const { return kept_[j] != kGone; }
  std::size_t n_candidates() const { return n_candidates_; }
  const std::vector<std::uint32_t>& present() const { return present_; }
  // Of the present columns at the last `refer`, for each column the targets.
  const std::vector<double>& weights() const { return weights_; }

  void refer(const Vectors& dual, Team& team) {
    std::erase_if(present_, [&](std::uint32_t j) { return kept_[j] == kGone; });
    weights_.resize(present_.size() * dual.n);
    scores_.resize(present_.size());
    team.each(present_.size(), kBlock, [&](const Share& share) {
      widest<Weigh>(columns_, dual, present_.data(), share, weights_.data(), scores_.data());
    });
    reference_ = dual;
    largest_ = *std::max_element(scores_.begin(), scores_.end());
    draw_up();
  }

  // Nothing where a pass must come first; after at most two with the same coefficients there is one.
  std::optional<Weak> find(const Vectors& dual) {
    if (reference_.values.empty()) return std::nullopt;
    const double moved = distance(dual);
    const std::optional<Weak> weak = among_the_short_listed(dual, moved);
    // many scores as small as the smallest: look at all columns after the next pass
    if (!weak && moved == 0) all_ = true;
    return weak;
  }

  void remove(std::size_t column) {
    n_candidates_ -= !kept_[column];
    kept_[column] = kGone;
    const auto place = std::find(shortlist_.begin(), shortlist_.end(), std::uint32_t(column));
    if (place != shortlist_.end()) shortlist_.erase(place);
  }

 private:
  static constexpr std::uint8_t kGone = 2;
  static constexpr std::size_t kBlock = 512;
  // What a pass and the choice of a list cost per column, in looks at a column.
  static constexpr double kPass = 4;

  double distance(const Vectors& dual) const {
    double squares = 0;
    for (std::size_t i = 0; i < dual.values.size(); ++i) {
      const double step = dual.values[i] - reference_.values[i];
      squares += step * step;
    }
    return std::sqrt(squares);
  }

  std::optional<Weak> among_the_short_listed(const Vectors& dual, double moved) {
    if (moved + 100 * kRounding * norm(dual[0], dual.values.size()) > reach_) return std::nullopt;
    short_scores_.resize(shortlist_.size());
    looked_at_ += double(shortlist_.size());
    widest<Weigh>(columns_, dual, shortlist_.data(), Share{0, shortlist_.size(), 0, 0},
                  static_cast<double*>(nullptr), short_scores_.data());
    const auto at = weakest_of(shortlist_.size(), largest_,
                               [&](std::size_t k) { return short_scores_[k]; });
    if (!at) return std::nullopt;
    const double score = short_scores_[*at];
    if (score * (1 + 3 * kNear) + 3 * kRounding * largest_ > cap_) return std::nullopt;
    return Weak{shortlist_[*at], score};
  }

  // Choose the columns that could be the weakest while the coefficients move by at most `reach_`
  // and the weakest score stays at or below `cap_`.
  void draw_up() {
    shortlist_.clear();
    reach_ = cap_ = std::numeric_limits<double>::infinity();
    const std::size_t few = how_many();
    const bool everything = all_ || 2 * few >= n_candidates_;
    all_ = false;
    if (!everything) {
      candidates_.clear();
      for (std::size_t k = 0; k < present_.size(); ++k)
        if (!kept_[present_[k]]) candidates_.push_back(scores_[k]);
      std::nth_element(candidates_.begin(), candidates_.begin() + few / 2, candidates_.end());
      cap_ = candidates_[few / 2];
      candidates_.clear();
      for (std::size_t k = 0; k < present_.size(); ++k)
        if (!kept_[present_[k]]) candidates_.push_back(slack(k));
      std::nth_element(candidates_.begin(), candidates_.begin() + few, candidates_.end());
      reach_ = candidates_[few];
    }
    for (std::size_t k = 0; k < present_.size(); ++k)
      if (!kept_[present_[k]] && (everything || slack(k) <= reach_))
        shortlist_.push_back(present_[k]);
  }

  // The length of the list: more where a pass was due before the looks at the last list together took
  // as long as one does, fewer where they took longer.
  std::size_t how_many() {
    if (!all_) few_ *= looked_at_ < kPass * double(present_.size()) ? 1.5 : 0.8;
    looked_at_ = 0;
    few_ = std::clamp(few_, 1.0, std::sqrt(double(present_.size())));
    return 8 + std::size_t(few_ * std::sqrt(double(n_candidates_)));
  }

  // How far the coefficients must move before this column's score can fall to `cap_`.
  double slack(std::size_t k) const {
    const double above = scores_[k] - cap_, length = length_[present_[k]];
    return above <= 0 ? 0 : above / length;
  }

  Vectors columns_, reference_;
  std::vector<std::uint8_t> kept_;
  std::vector<double> length_, weights_, scores_, candidates_, short_scores_;
  std::vector<std::uint32_t> present_, shortlist_;
  std::size_t n_candidates_ = 0;
  double reach_ = 0, cap_ = 0, largest_ = 0;
  double few_ = 3, looked_at_ = 0;
  bool all_ = false;
};

}  // namespace handful
