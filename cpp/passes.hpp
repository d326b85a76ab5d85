// What one pass over a dense table tells about all of its columns: their squared lengths, or their
// products with eight vectors at once. Reading the table is what takes the time, so eight products
// cost little more than one.
//
// Sums go over runs of rows in the table's own type, and over the runs in double. Their order depends
// on the table's shape and layout alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "parallel.hpp"
#include "strided.hpp"
#include "wide.hpp"

namespace handful {

inline constexpr std::size_t kVectors = 8;
// Rows of a run, and columns of a tile: what is used again and again stays in the nearest cache.
template <class Value>
inline constexpr std::size_t kRun = 4096 / sizeof(Value);
template <class Value>
inline constexpr std::size_t kTile = 2048 / sizeof(Value);
// From a vector to the next in a run: room for a register beyond the last row.
template <class Value>
inline constexpr std::size_t kPitch = kRun<Value> + 64 / sizeof(Value);

HANDFUL_INLINE void fetch_soon(const void* address) {
#ifdef __GNUC__
  __builtin_prefetch(address);
#endif
}

// As many numbers as the widest register holds; narrower processors take several of theirs.
template <class Value>
struct Register {
  static constexpr std::size_t kSize = 64 / sizeof(Value);
  using Vector [[gnu::vector_size(64)]] = Value;
  Vector at;

  HANDFUL_INLINE static Register load(const Value* from) {
    Register found;
    std::memcpy(&found.at, from, sizeof found.at);
    return found;
  }
  // the first `n`, and zeros
  HANDFUL_INLINE static Register load(const Value* from, std::size_t n) {
    Register found{};
    std::memcpy(&found.at, from, n * sizeof(Value));
    return found;
  }
  HANDFUL_INLINE void store(Value* to) const { std::memcpy(to, &at, sizeof at); }

  HANDFUL_INLINE double sum() const {
    double sums[4] = {};
    for (std::size_t l = 0; l < kSize; l += 4)
      for (std::size_t k = 0; k < 4; ++k) sums[k] += double(at[l + k]);
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }
};

// `n_rows` rows from `data` on, of `n_columns`; `stride` leads to the next row where rows are
// contiguous, and to the next column where columns are.
template <class Value>
struct Piece {
  const Value* data;
  std::ptrdiff_t stride;
  std::size_t n_rows, n_columns;

  HANDFUL_INLINE const Value* line(std::size_t i) const { return data + std::ptrdiff_t(i) * stride; }
};

// sums[v * kTile + j] += the product of column j with vector v, where rows are contiguous; `vectors`
// holds the kVectors numbers of each row together.
struct AddByRows {
  template <class Value>
  HANDFUL_INLINE static void run(const Piece<Value>& piece, const Value* vectors, Value* sums) {
    // several rows at a time, so that sums are fetched and stored once for all of them
    std::size_t i = 0;
    for (; i + 4 <= piece.n_rows; i += 4) rows<4>(piece, i, vectors, sums);
    for (; i < piece.n_rows; ++i) rows<1>(piece, i, vectors, sums);
  }

  template <std::size_t kRows, class Value>
  HANDFUL_INLINE static void rows(const Piece<Value>& piece, std::size_t i, const Value* vectors,
                                  Value* __restrict sums) {
    using L = Register<Value>;
    const Value* first = piece.line(i);
    const Value* factors = vectors + i * kVectors;
    std::size_t j = 0;
    L values[kRows];
    for (; j + L::kSize <= piece.n_columns; j += L::kSize) {
      for (std::size_t r = 0; r < kRows; ++r) {
        values[r] = L::load(first + std::ptrdiff_t(r) * piece.stride + j);
        fetch_soon(first + std::ptrdiff_t(r + kRows) * piece.stride + j);
      }
      add<kRows>(values, factors, sums + j);
    }
    if (j == piece.n_columns) return;
    for (std::size_t r = 0; r < kRows; ++r)
      values[r] = L::load(first + std::ptrdiff_t(r) * piece.stride + j, piece.n_columns - j);
    add<kRows>(values, factors, sums + j);
  }

  template <std::size_t kRows, class Value>
  HANDFUL_INLINE static void add(const Register<Value>* values, const Value* factors, Value* sums) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      Value* place = sums + v * kTile<Value>;
      Register<Value> sum = Register<Value>::load(place);
      for (std::size_t r = 0; r < kRows; ++r) sum.at += values[r].at * factors[r * kVectors + v];
      sum.store(place);
    }
  }
};

// sums[v * kTile + j] += the same where columns are contiguous; `vectors` holds the numbers of each
// vector together, kPitch apart.
struct AddByColumns {
  template <class Value>
  HANDFUL_INLINE static void run(const Piece<Value>& piece, const Value* vectors, double* sums) {
    // two columns at a time, so that vectors are fetched once for both
    std::size_t j = 0;
    for (; j + 2 <= piece.n_columns; j += 2) columns<2>(piece, j, vectors, sums);
    if (j < piece.n_columns) columns<1>(piece, j, vectors, sums);
  }

  template <std::size_t kColumns, class Value>
  HANDFUL_INLINE static void columns(const Piece<Value>& piece, std::size_t j, const Value* vectors,
                                     double* sums) {
    using L = Register<Value>;
    const Value* first = piece.line(j);
    L found[kVectors][kColumns] = {};
    L values[kColumns];
    std::size_t i = 0;
    for (; i + L::kSize <= piece.n_rows; i += L::kSize) {
      for (std::size_t c = 0; c < kColumns; ++c) {
        values[c] = L::load(first + std::ptrdiff_t(c) * piece.stride + i);
        fetch_soon(first + std::ptrdiff_t(c + kColumns) * piece.stride + i);
      }
      add<kColumns>(values, vectors + i, found);
    }
    for (std::size_t c = 0; c < kColumns; ++c)
      values[c] = L::load(first + std::ptrdiff_t(c) * piece.stride + i, piece.n_rows - i);
    add<kColumns>(values, vectors + i, found);
    for (std::size_t v = 0; v < kVectors; ++v)
      for (std::size_t c = 0; c < kColumns; ++c) sums[v * kTile<Value> + j + c] += found[v][c].sum();
  }

  template <std::size_t kColumns, class Value>
  HANDFUL_INLINE static void add(const Register<Value>* values, const Value* vectors,
                                 Register<Value> (&found)[kVectors][kColumns]) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto factors = Register<Value>::load(vectors + v * kPitch<Value>);
      for (std::size_t c = 0; c < kColumns; ++c) found[v][c].at += values[c].at * factors.at;
    }
  }
};

// Adds the weighted squares of a piece's columns to `sums`, in double; there is a weight for each row.
struct AddSquaresByRows {
  template <class Value>
  HANDFUL_INLINE static void run(const Piece<Value>& piece, const double* weights, double* sums) {
    std::size_t i = 0;
    for (; i + 4 <= piece.n_rows; i += 4) rows<4>(piece, i, weights, sums);
    for (; i < piece.n_rows; ++i) rows<1>(piece, i, weights, sums);
  }

  template <std::size_t kRows, class Value>
  HANDFUL_INLINE static void rows(const Piece<Value>& piece, std::size_t i, const double* weights,
                                  double* __restrict sums) {
    constexpr std::size_t kSize = Register<Value>::kSize;
    std::size_t j = 0;
    for (; j + kSize <= piece.n_columns; j += kSize) {
      for (std::size_t r = 0; r < kRows; ++r) fetch_soon(piece.line(i + kRows + r) + j);
      for (std::size_t l = j; l < j + kSize; ++l) add<kRows>(piece, i, l, weights, sums);
    }
    for (; j < piece.n_columns; ++j) add<kRows>(piece, i, j, weights, sums);
  }

  template <std::size_t kRows, class Value>
  HANDFUL_INLINE static void add(const Piece<Value>& piece, std::size_t i, std::size_t j,
                                 const double* weights, double* __restrict sums) {
    double sum = 0;
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
      const double value = double(piece.line(i + r)[j]);
      sum += weights[i + r] * (value * value);
    }
    sums[j] += sum;
  }
};

struct AddSquaresByColumns {
  template <class Value>
  HANDFUL_INLINE static void run(const Piece<Value>& piece, const double* weights, double* sums) {
    constexpr std::size_t kSums = 32;  // enough not to wait for an addition to end
    for (std::size_t j = 0; j < piece.n_columns; ++j) {
      const Value* column = piece.line(j);
      double some[kSums] = {};
      std::size_t i = 0;
      for (; i + kSums <= piece.n_rows; i += kSums)
        for (std::size_t k = 0; k < kSums; ++k)
          some[k] += weights[i + k] * (double(column[i + k]) * double(column[i + k]));
      for (; i < piece.n_rows; ++i) some[0] += weights[i] * (double(column[i]) * double(column[i]));
      for (const double sum : some) sums[j] += sum;
    }
  }
};

// A dense table whose rows or columns are contiguous, in the pieces that a pass looks at.
template <class Value>
struct Pieces {
  const Strided<Value>& table;
  std::size_t n_rows;

  bool by_rows() const { return table.column_stride == 1; }
  // of contiguous columns only some at a time, so that few pages of memory are in use at once
  std::size_t tile() const { return by_rows() ? kTile<Value> : 32; }
  Piece<Value> piece(std::size_t first, std::size_t n, const Share& share) const {
    return {table.at(std::ptrdiff_t(first), share.begin),
            by_rows() ? table.row_stride : table.column_stride, n, share.end - share.begin};
  }
};

// The numbers of kVectors vectors in the order in which the kernels read them.
template <class Value>
class Arranged {
 public:
  // `vectors` holds one after the other
  Arranged(const Value* vectors, std::size_t n_rows, bool by_rows)
      : by_rows_(by_rows),
        values_((by_rows ? n_rows : block_count(n_rows, kRun<Value>) * kPitch<Value>) * kVectors /
                    Register<Value>::kSize + 1) {
    Value* to = reinterpret_cast<Value*>(values_.data());
    for (std::size_t v = 0; v < kVectors; ++v)
      for (std::size_t i = 0; i < n_rows; ++i)
        to[by_rows ? i * kVectors + v : start(i) + v * kPitch<Value> + i % kRun<Value>] =
            vectors[v * n_rows + i];
  }
  const Value* run(std::size_t first_row) const {
    return reinterpret_cast<const Value*>(values_.data()) + start(first_row);
  }

 private:
  std::size_t start(std::size_t row) const {
    return by_rows_ ? row * kVectors : row / kRun<Value> * kVectors * kPitch<Value>;
  }
  bool by_rows_;
  std::vector<Register<Value>> values_;  // so it begins where a register's worth of memory does
};

// The products of every column with each of kVectors vectors, which stand one after the other; so do
// the answers.
template <class Value>
std::vector<double> products(const Pieces<Value>& pieces, const Value* vectors, Team& team) {
  const std::size_t n = pieces.table.n_columns;
  const Arranged<Value> arranged(vectors, pieces.n_rows, pieces.by_rows());
  std::vector<double> answer(kVectors * n);
  team.each(n, pieces.tile(), [&](const Share& share) {
    std::vector<double> sums(kVectors * kTile<Value>);
    std::vector<Register<Value>> part(kVectors * kTile<Value> / Register<Value>::kSize);
    Value* some = reinterpret_cast<Value*>(part.data());
    for (std::size_t first = 0; first < pieces.n_rows; first += kRun<Value>) {
      const auto piece = pieces.piece(first, std::min(kRun<Value>, pieces.n_rows - first), share);
      if (!pieces.by_rows()) {
        widest<AddByColumns>(piece, arranged.run(first), sums.data());
        continue;
      }
      std::fill(part.begin(), part.end(), Register<Value>{});
      widest<AddByRows>(piece, arranged.run(first), some);
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += double(some[k]);
    }
    for (std::size_t v = 0; v < kVectors; ++v)
      std::copy_n(sums.data() + v * kTile<Value>, share.end - share.begin,
                  answer.data() + v * n + share.begin);
  });
  return answer;
}

// The weighted sum of each column's squares.
template <class Value>
std::vector<double> squared_lengths(const Pieces<Value>& pieces, const double* weights, Team& team) {
  std::vector<double> answer(pieces.table.n_columns);
  team.each(answer.size(), pieces.tile(), [&](const Share& share) {
    const auto piece = pieces.piece(0, pieces.n_rows, share);
    if (pieces.by_rows())
      widest<AddSquaresByRows>(piece, weights, answer.data() + share.begin);
    else
      widest<AddSquaresByColumns>(piece, weights, answer.data() + share.begin);
  });
  return answer;
}

}  // namespace handful
