// Threads that go through the same steps together: each does its share of a step, then waits for the others.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tengen {

class Team {
  public:
    explicit Team(int members) : members_(members) {}

    int members() const { return members_; }

    // Returns once every member has come here. Steps take some ten microseconds, so a member looks for about as long
    // before it sleeps: a sleeper takes longer to wake than the step lasts, but one that only looked would keep a core
    // from another program.
    void meet() {
        if (members_ == 1) return;
        const std::uint32_t meeting = meeting_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
            arrived_.store(0, std::memory_order_relaxed);
            meeting_.store(meeting + 1, std::memory_order_release);
            meeting_.notify_all();
            return;
        }
        for (int look = 0; look < kLooks; ++look) {
            if (meeting_.load(std::memory_order_acquire) != meeting) return;
#if defined(__x86_64__) && defined(__GNUC__)
            __builtin_ia32_pause();
#endif
        }
        meeting_.wait(meeting, std::memory_order_acquire);
    }

  private:
    static constexpr int kLooks = 2000;  // some forty microseconds

    const int members_;
    std::atomic<int> arrived_{0};
    std::atomic<std::uint32_t> meeting_{0};
};

// The share of one of some members in 0 .. n.
struct Share {
    int begin, end;

    Share(int n, int member, int members)
        : begin(static_cast<int>(static_cast<long long>(n) * member / members)),
          end(static_cast<int>(static_cast<long long>(n) * (member + 1) / members)) {}
};

}  // namespace tengen
