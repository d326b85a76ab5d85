// The same function for processors of different width: one binary for every machine.
//
// A kernel is a struct with `static Result run(Args...)`, always inlined, and calls nothing that is
// not. `widest<Kernel>(args...)` runs it compiled for the widest instructions that this processor
// has; `wide<Kernel>(Width, args...)` for those of a width that it is known to have.
#pragma once

#include <utility>

#if defined(__x86_64__) && defined(__GNUC__)
#define HANDFUL_X86 1
#endif

#define HANDFUL_INLINE [[gnu::always_inline]] inline

namespace handful {

enum class Width { baseline, popcnt, avx2, avx512 };

inline constexpr const char* kWidthNames[] = {"baseline", "popcnt", "avx2", "avx512"};

inline Width detect_width() {
#ifdef HANDFUL_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq"))
    return Width::avx512;
  if (__builtin_cpu_supports("avx2")) return Width::avx2;
  if (__builtin_cpu_supports("popcnt")) return Width::popcnt;
#endif
  return Width::baseline;
}

inline const Width kWidest = detect_width();

#ifdef HANDFUL_X86
template <class Kernel, class... Args>
__attribute__((target("popcnt"))) auto run_popcnt(const Args&... args) {
  return Kernel::run(args...);
}
template <class Kernel, class... Args>
__attribute__((target("avx2,popcnt"))) auto run_avx2(const Args&... args) {
  return Kernel::run(args...);
}
template <class Kernel, class... Args>
__attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,avx2,popcnt,prefer-vector-width=512"))) auto run_avx512(
    const Args&... args) {
  return Kernel::run(args...);
}
#endif

template <class Kernel, class... Args>
auto wide(Width width, const Args&... args) {
#ifdef HANDFUL_X86
  switch (width) {
    case Width::avx512: return run_avx512<Kernel>(args...);
    case Width::avx2: return run_avx2<Kernel>(args...);
    case Width::popcnt: return run_popcnt<Kernel>(args...);
    case Width::baseline: break;
  }
#endif
  return Kernel::run(args...);
}

template <class Kernel, class... Args>
auto widest(const Args&... args) {
  return wide<Kernel>(kWidest, args...);
}

}  // namespace handful
