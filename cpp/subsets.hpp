// How often a classifier errs that learns from a few rows and a few columns of a table and is tested
// on a few others: the energy of a subset of columns, measured once.
#pragma once

#include "machines.hpp"
#include "parallel.hpp"

namespace handful {

// Distinct rows of a table, and for every row of the table its place among them or -1.
struct Drawn {
  std::vector<std::int32_t> row, place;
};

// A table that gives out a few cells of a column at a time.
class Source {
 public:
  virtual ~Source() = default;
  virtual void column(std::size_t j, const Drawn& rows, double* out) const = 0;
  std::size_t n_rows = 0, n_columns = 0;
};

template <class Value>
class DenseSource final : public Source {
 public:
  // Steps from row to row and from column to column, in values.
  DenseSource(const Value* data, std::ptrdiff_t down, std::ptrdiff_t right)
      : data_(data), down_(down), right_(right) {}
  void column(std::size_t j, const Drawn& rows, double* out) const override {
    const Value* first = data_ + std::ptrdiff_t(j) * right_;
    for (std::size_t i = 0; i < rows.row.size(); ++i) out[i] = double(first[rows.row[i] * down_]);
  }

 private:
  const Value* data_;
  std::ptrdiff_t down_, right_;
};

// By column, without duplicates.
template <class Value, class Index>
class SparseSource final : public Source {
 public:
  SparseSource(const Value* data, const Index* indices, const Index* starts)
      : data_(data), indices_(indices), starts_(starts) {}
  void column(std::size_t j, const Drawn& rows, double* out) const override {
    std::fill(out, out + rows.row.size(), 0.0);
    for (Index e = starts_[j]; e < starts_[j + 1]; ++e) {
      const std::int32_t place = rows.place[std::size_t(indices_[e])];
      if (place >= 0) out[place] = double(data_[e]);
    }
  }

 private:
  const Value* data_;
  const Index *indices_, *starts_;
};

// One way of putting the rows into classes.
struct Partition {
  std::vector<std::int32_t> code;
  std::size_t n_classes;
};

// What is drawn for one subset: features, and rows to learn from and to test on, as many of each.
struct Draw {
  const std::size_t* feature;
  std::size_t n_features;
  const std::int32_t *learn, *test;
  std::size_t n_drawn;
};

// Judges subsets one at a time; each thread has one of its own.
class Judge {
 public:
  // `column` says which column of the source each feature is. With `balanced` every class that is
  // tested counts the same.
  Judge(const Source& source, const std::vector<std::int64_t>& column,
        const std::vector<Partition>& partitions, std::unique_ptr<Machine> machine, bool balanced)
      : source_(source), column_(column), partitions_(partitions), machine_(std::move(machine)),
        balanced_(balanced) {
    rows_.place.assign(source.n_rows, -1);
  }

  // The share of wrong answers, its mean over the partitions; a machine that tells only two classes
  // apart is asked of each class whether it is that one, and the shares are averaged. A feature that
  // was drawn twice is in the subset once.
  double error(const Draw& draw) {
    gather(draw);
    machine_->see(cells_, sample_);
    double sum = 0;
    for (const Partition& partition : partitions_) sum += error_of(partition);
    for (std::int32_t row : rows_.row) rows_.place[std::size_t(row)] = -1;
    return sum / double(partitions_.size());
  }

 private:
  void gather(const Draw& draw) {
    rows_.row.clear();
    for (const auto* drawn : {draw.learn, draw.test})
      for (std::size_t i = 0; i < draw.n_drawn; ++i) {
        std::int32_t& place = rows_.place[std::size_t(drawn[i])];
        if (place < 0) {
          place = std::int32_t(rows_.row.size());
          rows_.row.push_back(drawn[i]);
        }
        if (drawn == draw.learn) sample_.n_learn = rows_.row.size();
      }
    sample_.learn.assign(rows_.row.size(), 0.0);
    sample_.test.assign(rows_.row.size(), 0.0);
    for (std::size_t i = 0; i < draw.n_drawn; ++i) {
      sample_.learn[std::size_t(rows_.place[std::size_t(draw.learn[i])])] += 1;
      sample_.test[std::size_t(rows_.place[std::size_t(draw.test[i])])] += 1;
    }
    features_.assign(draw.feature, draw.feature + draw.n_features);
    std::sort(features_.begin(), features_.end());
    features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
    cells_.resize(features_.size(), rows_.row.size());
    for (std::size_t c = 0; c < features_.size(); ++c)
      source_.column(std::size_t(column_[features_[c]]), rows_, cells_.column(c));
  }

  double error_of(const Partition& partition) {
    label_.resize(rows_.row.size());
    for (std::size_t i = 0; i < label_.size(); ++i)
      label_[i] = partition.code[std::size_t(rows_.row[i])];
    if (!machine_->binary() || partition.n_classes == 2) return asked(partition.n_classes);
    const std::vector<std::int32_t> code = label_;
    double sum = 0;
    for (std::size_t k = 0; k < partition.n_classes; ++k) {
      for (std::size_t i = 0; i < code.size(); ++i) label_[i] = code[i] == std::int32_t(k);
      sum += asked(2);
    }
    return sum / double(partition.n_classes);
  }

  // Where only one class was learned from, that is the answer.
  double asked(std::size_t n_classes) {
    const auto first = label_.begin(), last = first + std::ptrdiff_t(sample_.n_learn);
    said_.assign(label_.size(), label_.front());
    if (std::any_of(first, last, [&](std::int32_t label) { return label != label_.front(); }))
      machine_->say(label_.data(), n_classes, said_.data());
    wrong_.assign(n_classes, 0.0);
    tested_.assign(n_classes, 0.0);
    for (std::size_t i = 0; i < label_.size(); ++i) {
      tested_[std::size_t(label_[i])] += sample_.test[i];
      if (said_[i] != label_[i]) wrong_[std::size_t(label_[i])] += sample_.test[i];
    }
    double errors = 0, all = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      if (tested_[k] == 0) continue;
      errors += balanced_ ? wrong_[k] / tested_[k] : wrong_[k];
      all += balanced_ ? 1 : tested_[k];
    }
    return errors / all;
  }

  const Source& source_;
  const std::vector<std::int64_t>& column_;
  const std::vector<Partition>& partitions_;
  std::unique_ptr<Machine> machine_;
  bool balanced_;
  Drawn rows_;
  Sample sample_;
  Cells cells_;
  std::vector<std::size_t> features_;
  std::vector<std::int32_t> label_, said_;
  std::vector<double> wrong_, tested_;
};

// A judge for each thread of a team.
using Judges = std::vector<std::unique_ptr<Judge>>;

}  // namespace handful
