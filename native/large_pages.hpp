// Memory for weights that are read from start to end: on large pages, where the system has them. Small ones would cost a
// translation every 4 kB, and processors do not fetch ahead beyond the end of a page.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tengen {

template <typename T>
struct LargePages {
    using value_type = T;

    static constexpr std::size_t kPage = 2u << 20;

    LargePages() = default;
    template <typename U>
    LargePages(const LargePages<U>&) {}

    T* allocate(std::size_t n) {
        const std::size_t bytes = (n * sizeof(T) + kPage - 1) / kPage * kPage;
        void* p = ::operator new(bytes, std::align_val_t{kPage});
#if defined(__linux__)
        madvise(p, bytes, MADV_HUGEPAGE);  // advice only: that it fails does no harm
#endif
        return static_cast<T*>(p);
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{kPage}); }

    bool operator==(const LargePages&) const { return true; }
};

template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace tengen
