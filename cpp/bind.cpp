// The one file that knows Python: check the arrays, release the GIL, call a header.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of handful. Private: its names may change without notice.";
}
