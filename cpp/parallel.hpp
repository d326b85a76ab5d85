// A team of threads that splits loops at fixed places.
//
// A loop over 0..n is cut into blocks whose limits depend on n and the block size alone, never on the
// number of threads; the threads take whole blocks, in any order. So a body that writes what belongs
// to its own block (its columns, or one partial result per block, summed by the caller in block
// order) gives the same bits for every number of threads. Blocks are handed out as threads become
// free, because cores are not equally fast.
//
// The threads live as long as the team: a greedy method of many short steps makes one team.
//
//     Team team(threads, interrupted);
//     team.each(n_columns, 64, [&](const Share& share) {
//       for (std::size_t j = share.begin; j < share.end; ++j) score[j] = ...;
//     });
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace handful {

// Thrown by `Team` when the caller's check says that the user wants to stop.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

// One block of a split loop: indices [begin, end), the block's number, and which thread has it
// (0 <= worker < threads: for scratch memory only, results must not depend on it).
struct Share {
  std::size_t begin, end, index;
  int worker;
};

inline std::size_t block_count(std::size_t n, std::size_t block) { return (n + block - 1) / block; }

class Team {
 public:
  // `interrupted` is asked from the calling thread only, at most every 20 ms, between blocks.
  explicit Team(int threads, std::function<bool()> interrupted = {})
      : interrupted_(std::move(interrupted)), last_check_(Clock::now()) {
    try {
      for (int worker = 1; worker < threads; ++worker)
        members_.emplace_back([this, worker] { serve(worker); });
    } catch (...) {  // the system refused a thread: those already started must end first
      dismiss();
      throw;
    }
  }
  ~Team() { dismiss(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(members_.size()) + 1; }

  // Calls body(Share) for every block of 0..n and returns when all are done. The first exception of
  // any thread is thrown here, and the remaining blocks are skipped.
  template <class Body>
  void each(std::size_t n, std::size_t block, Body&& body) {
    const std::size_t blocks = block_count(n, block);
    if (members_.empty() || blocks < 2) {
      for (std::size_t index = 0; index < blocks; ++index) {
        body(Share{index * block, std::min(n, (index + 1) * block), index, 0});
        check();
      }
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    job_ = Job{n, block, blocks, const_cast<void*>(static_cast<const void*>(std::addressof(body))),
               [](void* job, const Share& share) { (*static_cast<Plain*>(job))(share); }};
    next_.store(0, std::memory_order_relaxed);
    error_ = nullptr;
    error_taken_.clear();
    gate_.store(kOpen, std::memory_order_release);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    work(0);
    // who has not come by now finds the gate closed: nobody waits for a thread that got no processor
    gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
    spin([&] { return gate_.load(std::memory_order_acquire) == 0; });
    for (unsigned inside; (inside = gate_.load(std::memory_order_acquire)) > 0;) gate_.wait(inside);
    if (error_) std::rethrow_exception(error_);
  }

  // For long serial stretches between loops.
  void check() {
    if (!interrupted_) return;
    const auto now = Clock::now();
    if (now - last_check_ < std::chrono::milliseconds(20)) return;
    last_check_ = now;
    if (interrupted_()) throw Interrupted();
  }

 private:
  static constexpr unsigned kOpen = 1u << 31;
  using Clock = std::chrono::steady_clock;
  struct Job {
    std::size_t n = 0, block = 1, blocks = 0;
    void* body = nullptr;
    void (*call)(void*, const Share&) = nullptr;
  };

  void work(int worker) {
    try {
      for (;;) {
        const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= job_.blocks) return;
        const std::size_t begin = index * job_.block;
        job_.call(job_.body, Share{begin, std::min(job_.n, begin + job_.block), index, worker});
        if (worker == 0) check();
      }
    } catch (...) {
      next_.store(job_.blocks, std::memory_order_relaxed);
      if (!error_taken_.test_and_set()) error_ = std::current_exception();
    }
  }

  // Waits a little for what is likely to come soon: to sleep and to be woken takes longer than many a
  // loop.
  template <class Done>
  static void spin(Done done) {
    for (int i = 0; i < 8000 && !done(); ++i) {
#if defined(__x86_64__) && defined(__GNUC__)
      __builtin_ia32_pause();
#endif
    }
  }

  void serve(int worker) {
    for (unsigned seen = 0;;) {
      spin([&] { return round_.load(std::memory_order_acquire) != seen; });
      round_.wait(seen, std::memory_order_acquire);
      seen = round_.load(std::memory_order_acquire);
      if (closing_.load(std::memory_order_acquire)) return;
      if (!enter()) continue;
      work(worker);
      if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) gate_.notify_one();
    }
  }

  // Counts this thread in, if the gate is open.
  bool enter() {
    unsigned gate = gate_.load(std::memory_order_acquire);
    while (gate & kOpen)
      if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) return true;
    return false;
  }

  void dismiss() {
    if (members_.empty()) return;
    closing_.store(true, std::memory_order_release);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (auto& member : members_) member.join();
    members_.clear();
  }

  std::function<bool()> interrupted_;
  Clock::time_point last_check_;
  std::vector<std::thread> members_;
  Job job_;
  std::atomic<std::size_t> next_{0};
  // threads that are at work beside the caller, and whether more may join them
  std::atomic<unsigned> gate_{0};
  std::atomic<unsigned> round_{0};
  std::atomic_flag error_taken_;
  std::exception_ptr error_;
  std::atomic<bool> closing_{false};
};

}  // namespace handful
