// Prints which version of the kernels this processor gets, the time of a call of the widest version,
// and those of each version called by name, narrowest first.
#include <chrono>
#include <cstdio>
#include <random>

#include "bits.hpp"

using namespace handful;

// Population counts over long columns: where width shows most.
struct CountAll {
  HANDFUL_INLINE static Count run(const Word* words, std::size_t n) {
    Count sum = 0;
    for (std::size_t w = 0; w < n; ++w) sum += Count(std::popcount(words[w]));
    return sum;
  }
};

template <class Call>
static double best_time(Call call) {
  double best = 1e9;
  for (int round = 0; round < 40; ++round) {
    const auto start = std::chrono::steady_clock::now();
    Count sum = 0;
    for (int again = 0; again < 300; ++again) sum += call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (sum == 1) std::puts("");  // keeps the calls
    best = std::min(best, taken.count());
  }
  return best;
}

int main() {
  std::mt19937_64 random(1);
  std::vector<Word> words(1 << 11);
  for (Word& word : words) word = random();
  const Word* data = words.data();
  std::printf("%s %g", kWidthNames[int(kWidest)],
              best_time([&] { return widest<CountAll>(data, words.size()); }));
  for (int width = 0; width <= int(kWidest); ++width)
    std::printf(" %g", best_time([&] { return wide<CountAll>(Width(width), data, words.size()); }));
  std::puts("");
}
