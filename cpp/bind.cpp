// The one file that knows Python: check the arrays, release the GIL, call a header.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "parallel.hpp"

namespace nb = nanobind;

// ---- parallel.hpp: what every kernel's loop over blocks passes to its Team ----

// True when Ctrl-C was pressed. Call it with the GIL released.
[[maybe_unused]] static bool interrupted() {
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

// `Interrupted` leaves a kernel as the KeyboardInterrupt that PyErr_CheckSignals has already set.
static void register_interrupt() {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const handful::Interrupted&) {
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of handful. Private: its names may change without notice.";
  register_interrupt();
}
