// Threads that go through the same steps together. A step has a part for each member; who comes late finds its part done.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace tengen {

// The share of one of some members in 0 .. n.
struct Share {
    int begin, end;

    Share(int n, int member, int members)
        : begin(static_cast<int>(static_cast<long long>(n) * member / members)),
          end(static_cast<int>(static_cast<long long>(n) * (member + 1) / members)) {}
};

class Team {
  public:
    Team(int members, int steps)
        : members_(members), done_(std::make_unique<Count[]>(steps)),
          begun_(std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(steps) * members)) {}

    int members() const { return members_; }

    // work(part) for the parts of a step, 0 .. members: a member does its own part, and then those that nobody has begun.
    // So a member waits only for parts that are under way, never for a member that another program keeps from its core.
    // Returns once all parts are done. All members go through the steps in the same order.
    template <typename Work>
    void step(int member, int step, Work work) {
        std::atomic<int>& done = done_[step].parts;
        for (int k = 0; k < members_; ++k) {
            const int part = (member + k) % members_;
            if (begun_[static_cast<std::size_t>(step) * members_ + part].exchange(true, std::memory_order_acq_rel)) continue;
            work(part);
            if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) done.notify_all();
        }
        wait(done);
    }

  private:
    // Steps take some ten microseconds, so a member looks for about as long before it sleeps: a sleeper takes longer to
    // wake than the step lasts, but one that only looked would keep a core from another program.
    void wait(const std::atomic<int>& done) const {
        for (int look = 0; look < kLooks; ++look) {
            if (done.load(std::memory_order_acquire) == members_) return;
#if defined(__x86_64__) && defined(__GNUC__)
            __builtin_ia32_pause();
#endif
        }
        for (int seen; (seen = done.load(std::memory_order_acquire)) != members_;) done.wait(seen, std::memory_order_acquire);
    }

    static constexpr int kLooks = 2000;  // some forty microseconds

    struct alignas(64) Count {
        std::atomic<int> parts{0};
    };

    const int members_;
    const std::unique_ptr<Count[]> done_;
    const std::unique_ptr<std::atomic<bool>[]> begun_;
};

}  // namespace tengen
