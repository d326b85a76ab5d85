// A dense table in memory; strides count values, not bytes.
#pragma once

#include <cstddef>

#include "wide.hpp"

namespace handful {

template <class Value>
struct Strided {
  const Value* data;
  std::size_t n_columns;
  std::ptrdiff_t row_stride, column_stride;

  HANDFUL_INLINE const Value* at(std::ptrdiff_t row, std::size_t column) const {
    return data + row * row_stride + std::ptrdiff_t(column) * column_stride;
  }
};

}  // namespace handful
