// Numbers, and where the largest is, while they change one by one; and when two are the same.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "wide.hpp"

namespace handful {

// Two scores that differ by no more than this, relative to what is larger than 1, are tied.
inline constexpr double kTie = 1e-12;

inline bool beats(double a, double b) {
  if (std::isinf(a) || std::isinf(b)) return a > b;
  return a - b > kTie * std::max({1.0, std::abs(a), std::abs(b)});
}

// Numbers of a tournament that play for one place in it.
inline constexpr std::size_t kBlock = 16;

// The largest of them.
struct Largest {
  HANDFUL_INLINE static double run(const double* value) {
    double best[8];
    for (int i = 0; i < 8; ++i) best[i] = value[i] > value[i + 8] ? value[i] : value[i + 8];
    for (int half = 4; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) best[i] = best[i] > best[i + half] ? best[i] : best[i + half];
    return best[0];
  }
};

// Numbers, and the place of the largest, the lowest place among equals: a tournament between blocks,
// whose few nodes stay in the cache however many numbers there are.
class Tournament {
 public:
  static constexpr double kGone = -std::numeric_limits<double>::infinity();

  explicit Tournament(std::vector<double> values) : value_(std::move(values)) {
    const std::size_t blocks = (value_.size() + kBlock - 1) / kBlock;
    value_.resize(blocks * kBlock, kGone);
    leaves_ = std::bit_ceil(std::max<std::size_t>(blocks, 1));
    node_.assign(2 * leaves_, kGone);
    play();
  }

  double operator[](std::size_t j) const { return value_[j]; }

  // Another number at its place, of which the tournament knows after the next `play`.
  void put(std::size_t j, double value) { value_[j] = value; }

  void play() {
    for (std::size_t b = 0; b < value_.size() / kBlock; ++b) node_[leaves_ + b] = largest(b);
    for (std::size_t i = leaves_; i-- > 1;) node_[i] = std::max(node_[2 * i], node_[2 * i + 1]);
  }

  std::size_t top() const {
    std::size_t i = 1;
    while (i < leaves_) i = 2 * i + (node_[2 * i] == node_[i] ? 0 : 1);
    const double* block = &value_[(i - leaves_) * kBlock];
    std::size_t j = 0;
    while (block[j] != node_[i]) ++j;
    return (i - leaves_) * kBlock + j;
  }

  // The places before `end` whose number `value` does not beat, ascending.
  std::vector<std::size_t> not_beaten_by(double value, std::size_t end) const {
    std::vector<std::size_t> found, open{1};
    while (!open.empty()) {
      std::size_t i = open.back();
      open.pop_back();
      if (beats(value, node_[i])) continue;
      if (i < leaves_) {
        open.insert(open.end(), {2 * i + 1, 2 * i});
        continue;
      }
      for (std::size_t j = (i - leaves_) * kBlock; j < std::min(end, (i - leaves_ + 1) * kBlock); ++j)
        if (!beats(value, value_[j])) found.push_back(j);
    }
    return found;
  }

  void lower(std::size_t j, double to) {
    const double before = value_[j];
    value_[j] = to;
    std::size_t i = leaves_ + j / kBlock;
    if (node_[i] != before) return;
    node_[i] = largest(j / kBlock);
    while (i > 1 && node_[i / 2] == before) {
      i /= 2;
      node_[i] = std::max(node_[2 * i], node_[2 * i + 1]);
    }
  }

  void remove(std::size_t j) { lower(j, kGone); }

  void raise(std::size_t j, double to) {
    value_[j] = to;
    for (std::size_t i = leaves_ + j / kBlock; i > 0 && node_[i] < to; i /= 2) node_[i] = to;
  }

 private:
  double largest(std::size_t b) const { return widest<Largest>(&value_[b * kBlock]); }

  std::vector<double> value_, node_;
  std::size_t leaves_;
};

}  // namespace handful
