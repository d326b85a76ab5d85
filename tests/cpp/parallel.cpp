// Compiled and run by tests/test_parallel.py, with the thread sanitiser where there is one.
#include "parallel.hpp"

#include <cstdio>
#include <cstdlib>

using handful::Share;
using handful::Team;

static void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}

// The sum of 1 / (1 + j), by blocks: its last bits depend on where the blocks end.
static double harmonic(Team& team, std::size_t n, std::size_t block) {
  std::vector<double> part(handful::block_count(n, block), -1.0);
  team.each(n, block, [&](const Share& share) {
    double sum = 0;
    for (std::size_t j = share.begin; j < share.end; ++j) sum += 1.0 / (1.0 + j);
    part[share.index] = sum;
  });
  double sum = 0;
  for (double p : part) sum += p;
  return sum;
}

int main() {
  Team alone(1);
  for (int threads : {1, 2, 3, 8}) {
    Team team(threads);
    require(team.size() == threads, "as many threads as asked");
    for (int round = 0; round < 200; ++round)
      require(harmonic(team, 1000 + round, 7) == harmonic(alone, 1000 + round, 7), "same bits");
    team.each(0, 5, [](const Share&) { require(false, "no block of an empty range"); });

    bool thrown = false;
    try {
      team.each(1000, 1, [](const Share& share) {
        if (share.index % 100 == 50) throw std::runtime_error("block");
      });
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    require(thrown, "a body's exception reaches the caller");
    require(harmonic(team, 999, 10) == harmonic(alone, 999, 10), "a team survives an exception");

    int asked = 0;
    Team impatient(threads, [&] { return ++asked == 2; });
    bool interrupted = false;
    try {
      for (;;) impatient.each(64, 4, [](const Share&) {});
    } catch (const handful::Interrupted&) {
      interrupted = true;
    }
    require(interrupted, "an interrupt ends the loop");
  }
}
