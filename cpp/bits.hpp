// Columns as planes of bits, with the rows sorted by class.
//
// A column of L levels is L - 1 planes: plane a has a bit for every row at level a + 1; the rows that
// are in no plane are at level 0. A boolean column is one plane, a constant column none. Since the
// rows of a class stand next to each other, one AND and a population count per word give the joint
// counts of two columns in all classes at once. A column of many levels takes less room, and less
// time, as a byte for every row: its level.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "wide.hpp"

namespace handful {

using Word = std::uint64_t;
using Count = std::uint32_t;

inline constexpr std::size_t kBits = 64;

inline std::size_t words_for(std::size_t bits) { return (bits + kBits - 1) / kBits; }

// The words that one class has a share in: all of it between `first` and `last`, and the bits under
// a mask in these two.
struct Stretch {
  std::size_t first, last;
  Word head, tail;
};

// ends[c] is the number of rows in the classes up to c; every class has at least one row.
inline std::vector<Stretch> stretches(const std::vector<std::size_t>& ends) {
  std::vector<Stretch> found;
  std::size_t begin = 0;
  for (std::size_t end : ends) {
    const Word head = ~Word{0} << (begin % kBits);
    const Word tail = ~Word{0} >> ((kBits - end % kBits) % kBits);
    found.push_back({begin / kBits, (end - 1) / kBits, head, tail});
    begin = end;
  }
  return found;
}

// The sum of `of(w, mask)` over the words of a stretch; the mask has the bits inside it.
template <class Of>
HANDFUL_INLINE Word add_bits(const Stretch& stretch, Of of) {
  if (stretch.first == stretch.last) return of(stretch.first, stretch.head & stretch.tail);
  Word sum = of(stretch.first, stretch.head);
  for (std::size_t w = stretch.first + 1; w < stretch.last; ++w) sum += of(w, ~Word{0});
  return sum + of(stretch.last, stretch.tail);
}

// How many bits `at(w)` has inside the stretch, w running over its words.
template <class At>
HANDFUL_INLINE Count count_bits(const Stretch& stretch, At at) {
  return Count(add_bits(stretch, [&](std::size_t w, Word mask) {
    return Word(std::popcount(at(w) & mask));
  }));
}

// Columns with more planes than this are stored as bytes.
inline constexpr std::size_t kMostPlanes = 8;

// A column: its planes one after the other, or where there are many of them its bytes.
struct Column {
  const Word* planes;
  int n_planes;
};

// A table of columns as planes. Blocks of columns own their words together, and tables that are
// joined share them.
class Planes {
 public:
  explicit Planes(std::vector<std::size_t> class_ends)
      : ends(std::move(class_ends)), words(words_for(ends.back())) {}

  std::size_t size() const { return columns.size(); }
  int levels(std::size_t j) const { return columns[j].n_planes + 1; }
  bool is_bytes(std::size_t j) const { return std::size_t(columns[j].n_planes) > kMostPlanes; }
  const std::uint8_t* bytes_of(std::size_t j) const {
    return reinterpret_cast<const std::uint8_t*>(columns[j].planes);
  }
  std::size_t words_of(std::size_t j) const {
    return words_of(std::size_t(columns[j].n_planes), ends.back());
  }

  static std::size_t words_of(std::size_t n_planes, std::size_t n_rows) {
    return n_planes > kMostPlanes ? words_for(8 * n_rows) : n_planes * words_for(n_rows);
  }

  // The level of column j at each position.
  void levels_of(std::size_t j, std::uint8_t* level) const {
    if (is_bytes(j)) {
      std::copy_n(bytes_of(j), ends.back(), level);
      return;
    }
    std::fill_n(level, ends.back(), std::uint8_t{0});
    for (int a = 0; a < columns[j].n_planes; ++a) {
      const Word* plane = columns[j].planes + std::size_t(a) * words;
      for (std::size_t p = 0; p < ends.back(); ++p)
        if (plane[p / kBits] >> (p % kBits) & 1) level[p] = std::uint8_t(a + 1);
    }
  }

  std::size_t bytes() const {
    std::size_t sum = columns.size() * sizeof(Column);
    for (const auto& block : owned) sum += block->size() * sizeof(Word);
    return sum;
  }

  std::vector<std::size_t> ends;      // the end of each class
  std::size_t words;                  // of one plane
  std::vector<Column> columns;
  std::vector<std::shared_ptr<const std::vector<Word>>> owned;
};

// Tables of the same rows side by side, at least one; they share their words.
inline Planes join(const std::vector<const Planes*>& parts) {
  Planes all(parts.front()->ends);
  for (const Planes* part : parts) {
    all.columns.insert(all.columns.end(), part->columns.begin(), part->columns.end());
    all.owned.insert(all.owned.end(), part->owned.begin(), part->owned.end());
  }
  return all;
}

// A block of columns on its way into a table of planes.
struct Block {
  std::vector<Word> words;
  std::vector<std::uint8_t> planes;  // of each column
};

// Blocks, in order, as a table; they must be all of it.
inline Planes assemble(std::vector<std::size_t> ends, std::vector<Block>&& blocks) {
  Planes table(std::move(ends));
  for (Block& block : blocks) {
    auto owner = std::make_shared<const std::vector<Word>>(std::move(block.words));
    const Word* place = owner->data();
    for (std::uint8_t planes : block.planes) {
      table.columns.push_back({place, planes});
      place += Planes::words_of(planes, table.ends.back());
    }
    table.owned.push_back(std::move(owner));
  }
  return table;
}

// One plane of `width` columns whose levels are bytes next to each other in every row: a bit where
// the byte of column j is level[j]. row[p] is where the row at position p begins, `bytes` is scratch of 8 * width;
// column j's words are written from words + j * words_for(n_rows) on.
struct PackLevel {
  HANDFUL_INLINE static void run(const std::uint8_t* const* row, std::size_t n_rows,
                                 std::size_t width, const std::uint8_t* level, std::uint8_t* bytes,
                                 Word* words) {
    const std::size_t n_words = words_for(n_rows);
    for (std::size_t w = 0; w < n_words; ++w) {
      const std::size_t some = std::min(kBits, n_rows - kBits * w);
      std::fill_n(bytes + some / 8 * width, (8 - some / 8) * width, std::uint8_t{0});
      for (std::size_t group = 0; 8 * group < some; ++group)
        eight_rows(row + kBits * w + 8 * group, std::min<std::size_t>(8, some - 8 * group), width,
                   level, bytes + group * width);
      for (std::size_t j = 0; j < width; ++j) {
        Word word = 0;
        for (std::size_t group = 0; group < 8; ++group)
          word |= Word(bytes[group * width + j]) << (8 * group);
        words[j * n_words + w] = word;
      }
    }
  }

 private:
  // Up to eight rows become one: every byte takes a bit from each, the first row lowest.
  HANDFUL_INLINE static void eight_rows(const std::uint8_t* const* row, std::size_t n_rows,
                                        std::size_t width, const std::uint8_t* level,
                                        std::uint8_t* to) {
    if (n_rows < 8) {
      for (std::size_t i = 0; i < n_rows; ++i)
        for (std::size_t j = 0; j < width; ++j) to[j] |= std::uint8_t((row[i][j] == level[j]) << i);
      return;
    }
    const std::uint8_t *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    const std::uint8_t *r4 = row[4], *r5 = row[5], *r6 = row[6], *r7 = row[7];
    for (std::size_t j = 0; j < width; ++j) {
      // doubling is the one shift that every processor does on bytes
      std::uint8_t byte = r7[j] == level[j];
      byte = std::uint8_t(byte + byte + (r6[j] == level[j]));
      byte = std::uint8_t(byte + byte + (r5[j] == level[j]));
      byte = std::uint8_t(byte + byte + (r4[j] == level[j]));
      byte = std::uint8_t(byte + byte + (r3[j] == level[j]));
      byte = std::uint8_t(byte + byte + (r2[j] == level[j]));
      byte = std::uint8_t(byte + byte + (r1[j] == level[j]));
      byte = std::uint8_t(byte + byte + (r0[j] == level[j]));
      to[j] = byte;
    }
  }
};

}  // namespace handful
