// A classification tree (CART with Gini's index), grown until its leaves are pure, on a few rows.
#pragma once

#include "machines.hpp"

namespace handful {

// Of equally good questions the one about the first column, then the lowest; of equally frequent
// classes in a leaf that cannot be split the one that was drawn first.
class Tree final : public Machine {
 public:
  void see(const Cells& cells, const Sample& sample) override {
    cells_ = &cells;
    sample_ = &sample;
    order_.resize(cells.n_columns * sample.n_learn);
    for (std::size_t c = 0; c < cells.n_columns; ++c) {
      const auto first = order_.begin() + std::ptrdiff_t(c * sample.n_learn);
      const double* x = cells.column(c);
      for (std::size_t i = 0; i < sample.n_learn; ++i) first[std::ptrdiff_t(i)] = i;
      std::stable_sort(first, first + std::ptrdiff_t(sample.n_learn),
                       [x](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    }
  }

  void say(const std::int32_t* label, std::size_t n_classes, std::int32_t* said) override {
    label_ = label;
    nodes_.clear();
    place_.assign(sample_->n_learn, 0);
    all_.assign(n_classes, 0.0);
    below_.assign(n_classes, 0.0);
    nodes_.push_back({});
    // a node's rows are those whose place is its number; children come after their parent
    for (std::size_t node = 0; node < nodes_.size(); ++node) grow(node);
    for (std::size_t i = 0; i < cells_->n_rows; ++i)
      if (sample_->test[i] > 0) said[i] = answer(i);
  }

 private:
  struct Node {
    std::size_t column = 0, below = 0;  // the child below the threshold; the other one comes next
    double threshold = 0;
    std::int32_t label = 0;
  };
  struct Question {
    double purity = -1, threshold = 0;
    std::size_t column = 0;
  };

  void grow(std::size_t node) {
    std::fill(all_.begin(), all_.end(), 0.0);
    for (std::size_t i = 0; i < place_.size(); ++i)
      if (place_[i] == node) all_[std::size_t(label_[i])] += sample_->learn[i];
    const double most = *std::max_element(all_.begin(), all_.end());
    std::size_t first = 0;
    while (place_[first] != node || all_[std::size_t(label_[first])] < most) ++first;
    nodes_[node].label = label_[first];
    if (std::count_if(all_.begin(), all_.end(), [](double n) { return n > 0; }) < 2) return;
    Question best;
    for (std::size_t c = 0; c < cells_->n_columns; ++c) ask(node, c, best);
    if (best.purity < 0) return;
    nodes_[node].column = best.column;
    nodes_[node].threshold = best.threshold;
    nodes_[node].below = nodes_.size();
    const double* x = cells_->column(best.column);
    for (std::size_t i = 0; i < place_.size(); ++i)
      if (place_[i] == node) place_[i] = nodes_.size() + (x[i] > best.threshold);
    nodes_.resize(nodes_.size() + 2);
  }

  // Purity is the sum over the two sides of the squared counts by the size: largest where the
  // weighted Gini index is least.
  void ask(std::size_t node, std::size_t c, Question& best) {
    const double* x = cells_->column(c);
    const std::size_t *order = order_.data() + c * place_.size(), *end = order + place_.size();
    std::fill(below_.begin(), below_.end(), 0.0);
    double size = 0, last = 0, total = 0;
    for (double count : all_) total += count;
    for (; order < end; ++order) {
      const std::size_t i = *order;
      if (place_[i] != node) continue;
      if (size > 0 && x[i] > last) {
        double low = 0, high = 0;
        for (std::size_t k = 0; k < all_.size(); ++k) {
          low += below_[k] * below_[k];
          high += (all_[k] - below_[k]) * (all_[k] - below_[k]);
        }
        const double purity = low / size + high / (total - size);
        if (purity > best.purity * (1 + 1e-12)) best = {purity, between(last, x[i]), c};
      }
      below_[std::size_t(label_[i])] += sample_->learn[i];
      size += sample_->learn[i];
      last = x[i];
    }
  }

  // At least the lower value, and below the higher one, also where they are neighbours.
  static double between(double low, double high) {
    const double middle = low + (high - low) / 2;
    return middle < high ? middle : low;
  }

  std::int32_t answer(std::size_t row) const {
    std::size_t node = 0;
    while (nodes_[node].below)
      node = nodes_[node].below + (cells_->column(nodes_[node].column)[row] > nodes_[node].threshold);
    return nodes_[node].label;
  }

  const Cells* cells_ = nullptr;
  const Sample* sample_ = nullptr;
  const std::int32_t* label_ = nullptr;
  std::vector<std::size_t> order_, place_;
  std::vector<double> all_, below_;
  std::vector<Node> nodes_;
};

}  // namespace handful
