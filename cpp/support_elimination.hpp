// Recursive elimination by linear support vector machines, one column at a time, as if refitted at
// every step.
//
// The Gram matrix loses a square per column, the machines start from their last answers, and
// `Weakest` looks at few columns. A row of the matrix that has lost most of what it was is summed anew
// from the columns that are left, so that rounding never outweighs it.
#pragma once

#include "elimination.hpp"
#include "support.hpp"

namespace handful {

// Several machines; a vector each.
struct Machines {
  Vectors signs, bounds;
};

class SupportElimination {
 public:
  // `gram` holds the inner products of the rows.
  SupportElimination(Vectors columns, Vectors gram, const Machines& given, const std::uint8_t* kept)
      : gram_(std::move(gram)), dual_(given.signs.n, given.signs.length),
        weakest_(std::move(columns), kept), fresh_(gram_.n) {
    const std::vector<double> nothing(gram_.n);
    for (std::size_t m = 0; m < given.signs.n; ++m)
      machines_.emplace_back(given.signs[m], given.bounds[m], nothing.data(), gram_.n);
    for (std::size_t i = 0; i < gram_.n; ++i) fresh_[i] = gram_[i][i];
  }

  // Until only the kept columns are left.
  Eliminated run(Team& team) {
    Eliminated gone;
    while (weakest_.n_candidates() > 0) {
      solve_each(machines_, gram_, team);
      for (std::size_t m = 0; m < machines_.size(); ++m)
        std::copy_n(machines_[m].beta(), dual_.stride, dual_[m]);
      std::optional<Weak> weak;
      while (!(weak = weakest_.find(dual_))) weakest_.refer(dual_, team);
      gone.add(*weak);
      weakest_.remove(weak->column);
      widest<AddSquare>(&gram_, -1.0, weakest_.columns()[weak->column]);
      renew_rows(team);
      team.check();
    }
    return gone;
  }

 private:
  // The share of a row's squared length below which its inner products are summed anew.
  static constexpr double kWorn = 0.1;

  void renew_rows(Team& team) {
    for (std::size_t i = 0; i < gram_.n; ++i)
      if (gram_[i][i] < kWorn * fresh_[i]) renew_row(i, team);
  }

  void renew_row(std::size_t i, Team& team) {
    double* row = gram_[i];
    std::fill_n(row, gram_.stride, 0.0);
    for (std::size_t j = 0; j < weakest_.columns().n; ++j) {
      const double* column = weakest_.columns()[j];
      if (column[i] != 0 && weakest_.has(j)) widest<AddTimes>(row, column[i], column, gram_.stride);
    }
    for (std::size_t k = 0; k < gram_.n; ++k) gram_[k][i] = row[k];
    fresh_[i] = row[i];
    team.check();
  }

  Vectors gram_, dual_;
  Weakest weakest_;
  std::vector<SupportMachine> machines_;
  std::vector<double> fresh_;
};

}  // namespace handful
