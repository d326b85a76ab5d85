// From dense tables of any number type and order to planes.
//
// They go through in blocks of neighbouring columns. A block becomes rows of bytes, one level
// a byte, and the planes of all its columns are packed together.
#pragma once

#include <cstring>

#include "levels.hpp"
#include "parallel.hpp"
#include "strided.hpp"

namespace handful {

// Which row stands at each position: rows sorted by class, and where each class ends.
struct Layout {
  const std::int32_t* row;
  std::vector<std::size_t> ends;
  const double* weight = nullptr;  // by position; null where every row counts once

  std::size_t n_rows() const { return ends.back(); }
  double weight_at(std::size_t p) const { return weight ? weight[p] : 1.0; }
  double total() const {
    double sum = 0;
    for (std::size_t p = 0; p < n_rows(); ++p) sum += weight_at(p);
    return sum;
  }
};

using Bytes = std::vector<std::uint8_t>;
using RowStarts = std::vector<const std::uint8_t*>;

// Columns `share` of a table of bytes as rows in the order of the layout: the table's own memory
// where its rows are contiguous, else a copy in `space`.
inline RowStarts rows_of_bytes(const Strided<std::uint8_t>& table, const Layout& layout,
                               const Share& share, Bytes& space) {
  const std::size_t width = share.end - share.begin;
  RowStarts row(layout.n_rows());
  if (table.column_stride == 1) {
    for (std::size_t p = 0; p < row.size(); ++p) row[p] = table.at(layout.row[p], share.begin);
    return row;
  }
  space.resize(row.size() * width);
  for (std::size_t j = 0; j < width; ++j) {
    const std::uint8_t* column = table.at(0, share.begin + j);
    for (std::size_t p = 0; p < row.size(); ++p)
      space[p * width + j] = column[layout.row[p] * table.row_stride];
  }
  for (std::size_t p = 0; p < row.size(); ++p) row[p] = space.data() + p * width;
  return row;
}

// Boolean columns, one plane each whether they vary or not.
inline Planes pack_boolean(const Strided<std::uint8_t>& table, const Layout& layout, Team& team) {
  const std::size_t n_words = words_for(layout.n_rows());
  // wide enough for the memory to stream, narrow enough for the words to stay in the cache
  const std::size_t width =
      table.column_stride == 1 ? std::clamp<std::size_t>((1u << 16) / n_words, 64, 2048) : 64;
  std::vector<Block> blocks(block_count(table.n_columns, width));
  team.each(table.n_columns, width, [&](const Share& share) {
    const std::size_t here = share.end - share.begin;
    Bytes space, scratch(8 * here);
    const RowStarts row = rows_of_bytes(table, layout, share, space);
    Block& block = blocks[share.index];
    block.words.resize(here * n_words);
    block.planes.assign(here, 1);
    const Bytes yes(here, 1);
    widest<PackLevel>(row.data(), row.size(), here, yes.data(), scratch.data(), block.words.data());
  });
  return assemble(layout.ends, std::move(blocks));
}

// The least and the largest byte of each column.
struct Ranges {
  HANDFUL_INLINE static void run(const std::uint8_t* const* row, std::size_t n_rows,
                                 std::size_t width, std::uint8_t* low, std::uint8_t* high) {
    std::memcpy(low, row[0], width);
    std::memcpy(high, row[0], width);
    for (std::size_t p = 1; p < n_rows; ++p) {
      const std::uint8_t* here = row[p];
#pragma GCC ivdep
      for (std::size_t j = 0; j < width; ++j) {
        low[j] = here[j] < low[j] ? here[j] : low[j];
        high[j] = here[j] > high[j] ? here[j] : high[j];
      }
    }
  }
};

// Some neighbouring columns as rows of bytes, one level a byte.
struct Levels {
  RowStarts row;
  Bytes low, high;  // of each column

  Levels(RowStarts starts, std::size_t width) : row(std::move(starts)), low(width), high(width) {
    widest<Ranges>(row.data(), row.size(), width, low.data(), high.data());
  }
  std::size_t width() const { return low.size(); }
  std::size_t range(std::size_t j) const { return std::size_t(high[j] - low[j]); }
  std::size_t widest_range() const {
    std::size_t most = 0;
    for (std::size_t j = 0; j < width(); ++j) most = std::max(most, range(j));
    return most;
  }
};

// Column j in bytes, its levels numbered without gaps; as planes where they are few enough.
inline void append_bytes(const Levels& levels, std::size_t j, Block& block) {
  std::array<std::uint8_t, 256> rank{};
  const std::size_t n_rows = levels.row.size(), n_words = words_for(n_rows);
  for (const std::uint8_t* row : levels.row) rank[row[j]] = 1;
  std::size_t n_levels = 0;  // up to 256: those of kMaxLevels bins, and that of missing values
  for (std::uint8_t& here : rank)
    if (here) here = std::uint8_t(n_levels++);
  const std::size_t begin = block.words.size(), n_planes = n_levels - 1;
  block.planes.push_back(std::uint8_t(n_planes));
  block.words.resize(begin + Planes::words_of(n_planes, n_rows));
  Word* words = &block.words[begin];
  for (std::size_t p = 0; p < n_rows; ++p) {
    const std::size_t level = rank[levels.row[p][j]];
    if (n_planes > kMostPlanes) {
      reinterpret_cast<std::uint8_t*>(words)[p] = std::uint8_t(level);
    } else if (level > 0) {
      words[(level - 1) * n_words + p / kBits] |= Word{1} << (p % kBits);
    }
  }
}

// Planes or bytes of all of them; the least byte of a column is the level without a plane.
inline void pack_levels(const Levels& levels, Block& block) {
  const std::size_t n_words = words_for(levels.row.size()), width = levels.width();
  const std::size_t most = std::min(levels.widest_range(), kMostPlanes);
  // level by level for all columns, then column by column
  const std::size_t plane = width * n_words;
  std::vector<Word> by_level(most * plane);
  Bytes scratch(8 * width), level(levels.low);
  for (std::size_t a = 0; a < most; ++a) {
    for (std::uint8_t& byte : level) ++byte;
    widest<PackLevel>(levels.row.data(), levels.row.size(), width, level.data(), scratch.data(),
                      &by_level[a * plane]);
  }
  block.words.reserve(most * plane);  // all there can be; growing would take up to twice that
  for (std::size_t j = 0; j < width; ++j) {
    if (levels.range(j) > kMostPlanes) {
      append_bytes(levels, j, block);
      continue;
    }
    std::uint8_t n_planes = 0;
    for (std::size_t a = 0; a < levels.range(j); ++a) {
      const Word* from = &by_level[a * plane + j * n_words];
      if (std::all_of(from, from + n_words, [](Word word) { return word == 0; })) continue;
      block.words.insert(block.words.end(), from, from + n_words);
      ++n_planes;
    }
    block.planes.push_back(n_planes);
  }
}

// Values as whole numbers in the same order: processors sort these without a branch.
template <class Value>
using Sortable = std::conditional_t<sizeof(Value) == 8, std::int64_t, std::int32_t>;

template <class Value>
HANDFUL_INLINE Sortable<Value> sortable(Value value) {
  using Whole = Sortable<Value>;
  if constexpr (std::is_floating_point_v<Value>) {
    const auto bits = std::bit_cast<Whole>(Value(value + Value{0}));  // -0 and 0 are one value
    // the sign is a coin toss, so no branch: below zero all bits but the sign are turned round
    using Bits = std::make_unsigned_t<Whole>;
    const auto whole = Whole(Bits(bits) ^ (Bits(bits >> (8 * sizeof(Whole) - 1)) >> 1));
    // NaN has the exponent of infinity, and more
    const auto size = Whole(bits & std::numeric_limits<Whole>::max());
    const auto infinity = std::bit_cast<Whole>(std::numeric_limits<Value>::infinity());
    return size > infinity ? kMissing<Whole> : whole;
  } else if constexpr (std::is_unsigned_v<Value> && sizeof(Value) >= 4) {
    return Whole(value ^ (Value{1} << (8 * sizeof(Value) - 1)));  // the sign bit turned round
  } else {
    return Whole(value);
  }
}

// As many neighbouring columns as fit side by side, from a table whose rows are contiguous. Rows are
// far from each other in memory, so the next columns are asked for meanwhile.
template <class Value>
struct GatherLanes {
  HANDFUL_INLINE static void run(const Strided<Value>& table, const Layout& layout,
                                 std::size_t first, Sortable<Value>* to) {
    constexpr std::size_t lanes = kLanes<Sortable<Value>>;
    const std::size_t n = layout.n_rows(), next = std::min(first + 2 * lanes, table.n_columns) - 1;
    for (std::size_t p = 0; p < n; ++p) {
      const Value* from = table.at(layout.row[p], first);
#ifdef __GNUC__
      __builtin_prefetch(table.at(layout.row[p], next));
#endif
#pragma GCC unroll 1
      for (std::size_t lane = 0; lane < lanes; ++lane) to[p * lanes + lane] = sortable(from[lane]);
    }
  }
};

// Cuts neighbouring columns into levels, as many at a time as fit side by side.
template <class Value>
class Leveller {
 public:
  using Sorted = Sortable<Value>;
  static constexpr std::size_t kLanes = handful::kLanes<Sorted>;
  static constexpr bool kFloats = std::is_floating_point_v<Value>;

  Leveller(const Strided<Value>& table, const Layout& layout, const Cutting& how)
      : table_(table),
        layout_(layout),
        how_(how),
        total_(layout.total()),
        rows_(layout.n_rows() * kLanes) {}

  // Writes `lanes` <= kLanes bytes of every row from `level` on, rows `byte_step` apart; there must
  // be room for kLanes.
  void cut(std::size_t first, std::size_t lanes, std::uint8_t* level, std::size_t byte_step) {
    const std::size_t n = layout_.n_rows();
    gather(first, lanes);
    std::array<Thresholds<Sorted>, kLanes> of_lane = layout_.weight ? cut_weighted() : cut_plain();
    std::size_t most = 0;
    for (const auto& thresholds : of_lane) most = std::max(most, thresholds.size());
    thresholds_.assign(most * kLanes, std::numeric_limits<Sorted>::max());
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      for (std::size_t k = 0; k < of_lane[lane].size(); ++k)
        thresholds_[k * kLanes + lane] = of_lane[lane][k];
    widest<LevelLanes<Sorted>>(rows_.data(), n, thresholds_.data(), most, level, byte_step);
  }

 private:
  void gather(std::size_t first, std::size_t lanes) {
    const std::size_t n = layout_.n_rows();
    const auto copy = [&](std::size_t p, std::size_t lane) {
      rows_[p * kLanes + lane] = sortable(*table_.at(layout_.row[p], first + lane));
    };
    if (table_.column_stride == 1 && lanes == kLanes)
      return widest<GatherLanes<Value>>(table_, layout_, first, rows_.data());
    for (std::size_t lane = 0; lane < lanes; ++lane)
      for (std::size_t p = 0; p < n; ++p) copy(p, lane);
  }

  std::array<Thresholds<Sorted>, kLanes> cut_plain() {
    const std::size_t n = layout_.n_rows();
    sort();
    std::uint32_t distinct[kLanes];
    widest<CountDistinct<Sorted>>(sorted_.data(), n, &distinct[0]);
    std::array<Thresholds<Sorted>, kLanes> found;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      found[lane] = cut_sorted(sorted_.data() + lane, n, kLanes, kFloats, distinct[lane], how_);
    return found;
  }

  std::array<Thresholds<Sorted>, kLanes> cut_weighted() {
    std::array<Thresholds<Sorted>, kLanes> found;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::vector<Run<Sorted>> runs;
      for (std::size_t p = 0; p < layout_.n_rows(); ++p)
        runs.push_back({rows_[p * kLanes + lane], layout_.weight[p]});
      merge_runs(runs);
      found[lane] = cut_runs(runs, total_, kFloats, how_);
    }
    return found;
  }

  void sort() {
    const std::size_t n = layout_.n_rows();
    sorted_ = rows_;
    if (n <= kLongest) return widest<SortLanes<Sorted>>(sorted_.data(), n);
    std::vector<Sorted> column(n);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t p = 0; p < n; ++p) column[p] = sorted_[p * kLanes + lane];
      std::sort(column.begin(), column.end());
      for (std::size_t p = 0; p < n; ++p) sorted_[p * kLanes + lane] = column[p];
    }
  }

  // Side by side, longer columns would not stay in the cache.
  static constexpr std::size_t kLongest = 1 << 15;

  const Strided<Value>& table_;
  const Layout& layout_;
  Cutting how_;
  double total_;
  std::vector<Sorted> rows_, sorted_, thresholds_;
};

// The columns of one block, sorted and cut.
template <class Value>
void pack_sorted(const Strided<Value>& table, const Layout& layout, const Cutting& how,
                 const Share& share, Block& block) {
  constexpr std::size_t lanes = Leveller<Value>::kLanes;
  const std::size_t n = layout.n_rows(), here = share.end - share.begin;
  const std::size_t step = block_count(here, lanes) * lanes;
  Bytes level(n * step);
  Leveller<Value> leveller(table, layout, how);
  for (std::size_t j = 0; j < here; j += lanes)
    leveller.cut(share.begin + j, std::min(lanes, here - j), &level[j], step);
  RowStarts row(n);
  for (std::size_t p = 0; p < n; ++p) row[p] = &level[p * step];
  pack_levels(Levels(std::move(row), here), block);
}

// Columns of any type.
template <class Value>
Planes pack_values(const Strided<Value>& table, const Layout& layout, const Cutting& how,
                   Team& team) {
  const std::size_t width = layout.n_rows() <= 4096 ? 64 : 16;
  std::vector<Block> blocks(block_count(table.n_columns, width));
  team.each(table.n_columns, width, [&](const Share& share) {
    Block& block = blocks[share.index];
    if constexpr (sizeof(Value) == 1) {  // bytes of few levels need no sorting
      const Strided<std::uint8_t> bytes{reinterpret_cast<const std::uint8_t*>(table.data),
                                        table.n_columns, table.row_stride, table.column_stride};
      Bytes space;
      const Levels levels(rows_of_bytes(bytes, layout, share, space), share.end - share.begin);
      if (levels.widest_range() < how.max_distinct)
        return pack_levels(levels, block);
    }
    pack_sorted(table, layout, how, share, block);
  });
  return assemble(layout.ends, std::move(blocks));
}

}  // namespace handful
