// From compressed sparse columns to planes, without ever making them dense.
#pragma once

#include "pack.hpp"

namespace handful {

// Compressed sparse columns, without stored zeros and without duplicates.
template <class Value, class Index>
struct Sparse {
  const Value* data;
  const Index* indices;
  const Index* indptr;
  std::size_t n_columns;
};

// Cuts and packs the columns of one sparse table, one after the other.
template <class Value, class Index>
class SparseLeveller {
 public:
  using Whole = Sortable<Value>;

  // position[r] is where row r stands.
  SparseLeveller(const Sparse<Value, Index>& table, const Layout& layout,
                 const std::vector<std::int32_t>& position, const Cutting& how)
      : table_(table),
        layout_(layout),
        position_(position),
        how_(how),
        total_(layout.total()),
        n_words_(words_for(position.size())) {}

  void append(std::size_t j, Block& block) {
    const auto begin = std::size_t(table_.indptr[j]), end = std::size_t(table_.indptr[j + 1]);
    if (is_alike(begin, end)) return append_alike(begin, end, block);
    const Thresholds<Whole> cuts = thresholds(begin, end);
    Word* words = add_column(cuts.size(), block);
    const auto zero = std::uint8_t(level(cuts, Value{0}));
    if (cuts.size() > kMostPlanes) {
      auto* bytes = reinterpret_cast<std::uint8_t*>(words);
      std::fill_n(bytes, position_.size(), zero);
      for (std::size_t i = begin; i < end; ++i)
        bytes[position(i)] = std::uint8_t(level(cuts, table_.data[i]));
      return;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const auto a = std::uint8_t(level(cuts, table_.data[i]));
      // the level of zero, whichever it is, is the one without a plane
      if (a != zero) set(words + std::size_t(a < zero ? a : a - 1) * n_words_, i);
    }
  }

 private:
  // Whether the stored values are all the same, as in most sparse tables.
  bool is_alike(std::size_t begin, std::size_t end) const {
    const Value* data = table_.data;
    return std::all_of(data + begin, data + end, [&](Value v) { return v == data[begin]; });
  }

  void append_alike(std::size_t begin, std::size_t end, Block& block) {
    if (begin == end || end - begin == position_.size()) {  // constant
      block.planes.push_back(0);
      return;
    }
    Word* words = add_column(1, block);
    for (std::size_t i = begin; i < end; ++i) set(words, i);
  }

  Word* add_column(std::size_t n_planes, Block& block) {
    const std::size_t place = block.words.size();
    block.planes.push_back(std::uint8_t(n_planes));
    block.words.resize(place + Planes::words_of(n_planes, position_.size()));
    return block.words.data() + place;
  }

  std::size_t position(std::size_t i) const {
    return std::size_t(position_[std::size_t(table_.indices[i])]);
  }

  void set(Word* plane, std::size_t i) const {
    const std::size_t p = position(i);
    plane[p / kBits] |= Word{1} << (p % kBits);
  }

  Thresholds<Whole> thresholds(std::size_t begin, std::size_t end) {
    double stored = 0;
    runs_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      runs_.push_back({sortable(table_.data[i]), layout_.weight_at(position(i))});
      stored += runs_.back().rows;
    }
    if (end - begin < position_.size()) runs_.push_back({sortable(Value{0}), total_ - stored});
    merge_runs(runs_);
    return cut_runs(runs_, total_, std::is_floating_point_v<Value>, how_);
  }

  static std::size_t level(const Thresholds<Whole>& cuts, Value value) {
    const auto place = std::lower_bound(cuts.begin(), cuts.end(), sortable(value));
    return std::size_t(place - cuts.begin());
  }

  const Sparse<Value, Index>& table_;
  const Layout& layout_;
  const std::vector<std::int32_t>& position_;
  Cutting how_;
  double total_;
  std::size_t n_words_;
  std::vector<Run<Whole>> runs_;
};

template <class Value, class Index>
Planes pack_sparse(const Sparse<Value, Index>& table, const Layout& layout, const Cutting& how,
                   Team& team) {
  constexpr std::size_t width = 1024;
  std::vector<std::int32_t> position(layout.n_rows());
  for (std::size_t p = 0; p < position.size(); ++p)
    position[std::size_t(layout.row[p])] = std::int32_t(p);
  std::vector<Block> blocks(block_count(table.n_columns, width));
  team.each(table.n_columns, width, [&](const Share& share) {
    Block& block = blocks[share.index];
    block.words.reserve((share.end - share.begin) * words_for(layout.n_rows()));
    SparseLeveller<Value, Index> leveller(table, layout, position, how);
    for (std::size_t j = share.begin; j < share.end; ++j) leveller.append(j, block);
  });
  return assemble(layout.ends, std::move(blocks));
}

}  // namespace handful
