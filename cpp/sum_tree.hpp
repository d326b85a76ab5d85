// Numbers with the sums of every eight of them, of every eight sums, and so on: to find the number that
// a uniform draw falls on by looking at few, and to change a few without adding all up again.
//
// Every sum is made from its eight parts anew, in a fixed order: what the tree says depends on the
// numbers alone, not on how they came about.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "wide.hpp"

namespace handful {

class SumTree {
 public:
  static constexpr std::size_t kFan = 8;

  explicit SumTree(std::size_t n) : n_(n) {
    do {
      n = (n + kFan - 1) / kFan;
      levels_.emplace_back(n * kFan);
    } while (n > 1);
    top_.resize(1);
  }

  std::size_t size() const { return n_; }
  double* values() { return levels_[0].data(); }
  const double* values() const { return levels_[0].data(); }
  double operator[](std::size_t j) const { return levels_[0][j]; }
  double total() const { return top_[0]; }

  // After a change of many values.
  void add_up() {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      std::vector<double>& above = level + 1 < levels_.size() ? levels_[level + 1] : top_;
      widest<AddEights>(levels_[level].data(), levels_[level].size() / kFan, above.data());
    }
  }

  // After a change of these.
  void add_up(const std::vector<std::size_t>& changed) {
    if (changed.size() * levels_.size() * 2 > n_ / kFan) return add_up();
    nodes_.assign(changed.begin(), changed.end());
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      std::vector<double>& above = level + 1 < levels_.size() ? levels_[level + 1] : top_;
      for (std::size_t& node : nodes_) {
        node /= kFan;
        above[node] = eight(levels_[level].data() + node * kFan);
      }
    }
  }

  // The value that `point` of 0 .. total falls on when every value counts `more` on top of itself, and
  // how far into it, as a share of it. Values of 0 are never found; none is negative with `more`.
  std::size_t find(double point, double more, double* share) const {
    std::size_t node = 0, size = 1;
    for (std::size_t level = levels_.size(); level-- > 0;) {
      size = 1;
      for (std::size_t l = 0; l < level; ++l) size *= kFan;
      const double* sums = levels_[level].data();
      node *= kFan;
      const std::size_t end = node + kFan;
      std::size_t last = node;
      double rest = point, past = 0;
      for (; node < end; ++node) {
        const double sum = sums[node] + (more == 0 ? 0 : more * double(count(node, size)));
        if (!(sum > 0)) continue;
        last = node;
        past = rest;
        if (rest < sum) break;
        rest -= sum;
      }
      // rounding may carry a point past the last value
      node = last;
      point = past;
    }
    const double value = levels_[0][node] + more;
    *share = std::min(point / value, 1 - 0x1p-53);
    return node;
  }

 private:
  HANDFUL_INLINE static double eight(const double* x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
  }

  struct AddEights {
    HANDFUL_INLINE static void run(const double* values, std::size_t n, double* sums) {
      for (std::size_t i = 0; i < n; ++i) sums[i] = eight(values + i * kFan);
    }
  };

  // How many of the values are below a node whose full size is `size`.
  std::size_t count(std::size_t node, std::size_t size) const {
    return node * size < n_ ? std::min(size, n_ - node * size) : 0;
  }

  std::size_t n_;
  std::vector<std::vector<double>> levels_;
  std::vector<double> top_;
  std::vector<std::size_t> nodes_;
};

}  // namespace handful
