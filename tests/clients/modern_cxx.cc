// SPDX-License-Identifier: BSD-3-Clause
//
// C++17: templates over the overloads, containers in symmetric memory, std::complex, lambdas,
// handles in static objects.
#include <shmem.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "frame/check.h"

template <typename T> struct symmetric_allocator {
    using value_type = T;
    symmetric_allocator() = default;
    template <typename U> symmetric_allocator(const symmetric_allocator<U> &) {}
    T *allocate(std::size_t n) { return static_cast<T *>(shmem_malloc(n * sizeof(T))); }
    void deallocate(T *p, std::size_t) { shmem_free(p); }
    friend bool operator==(const symmetric_allocator &, const symmetric_allocator &)
    {
        return true;
    }
    friend bool operator!=(const symmetric_allocator &, const symmetric_allocator &)
    {
        return false;
    }
};
template <typename T> using symmetric_vector = std::vector<T, symmetric_allocator<T>>;

static const shmem_ctx_t context = SHMEM_CTX_DEFAULT;
static const shmem_team_t team = SHMEM_TEAM_WORLD;

template <typename T> void ring(const char *type)
{
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    const int next = (me + 1) % npes, prev = (me + npes - 1) % npes;
    symmetric_vector<T> to(8), from(8);
    std::iota(from.begin(), from.end(), static_cast<T>(me));
    shmem_barrier_all();
    shmem_put(to.data(), from.data(), from.size(), next);
    shmem_barrier_all();
    CHECK(to[7] == static_cast<T>(prev + 7), "put of %s", type);
    CHECK(shmem_g(from.data(), next) == static_cast<T>(next), "g of %s", type);
    shmem_barrier_all();
    shmem_p(context, &to[0], static_cast<T>(9), next);
    shmem_barrier_all();
    CHECK(to[0] == static_cast<T>(9), "p of %s", type);
    std::fill(from.begin(), from.end(), static_cast<T>(2));
    CHECK(shmem_sum_reduce(team, to.data(), from.data(), from.size()) == 0 &&
              to[3] == static_cast<T>(2 * npes),
          "sum of %s", type);
    shmem_barrier_all();
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, unsigned long> ||
                  std::is_same_v<T, long long>) {
        to[0] = 0;
        shmem_sync(SHMEM_TEAM_WORLD);
        shmem_atomic_add(&to[0], static_cast<T>(3), next);
        shmem_wait_until(&to[0], SHMEM_CMP_EQ, static_cast<T>(3));
        CHECK(shmem_atomic_fetch_inc(&to[0], me) == 3 &&
                  shmem_test(&to[0], SHMEM_CMP_EQ, static_cast<T>(4)),
              "atomics of %s", type);
        shmem_sync_all();
    }
}

int main()
{
    shmem_init();
    ring<float>("float");
    ring<double>("double");
    ring<long double>("long double");
    ring<short>("short");
    ring<int>("int");
    ring<unsigned long>("unsigned long");
    ring<long long>("long long");
    {
        symmetric_vector<std::complex<double>> z(2), sum(2);
        z[0] = {1., 2.};
        z[1] = {0., static_cast<double>(shmem_my_pe())};
        shmem_barrier_all();
        shmem_sum_reduce(SHMEM_TEAM_WORLD, sum.data(), z.data(), z.size());
        const double n = shmem_n_pes();
        CHECK(sum[0] == std::complex<double>(n, 2 * n) && sum[1].imag() == n * (n - 1) / 2,
              "sum of complex");
        // as a library in C hands its numbers over
        __extension__ typedef double _Complex c_double_complex;
        auto *from = reinterpret_cast<c_double_complex *>(z.data());
        auto *to = reinterpret_cast<c_double_complex *>(sum.data());
        sum[0] = sum[1] = {-1., -1.};
        shmem_barrier_all();
        CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, to, from, 1) == 0 &&
                  shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, to + 1, from + 1, 1) == 0,
              "sums of C's complex return 0");
        CHECK(sum[0] == std::complex<double>(n, 2 * n) && sum[1].imag() == n * (n - 1) / 2,
              "sums of C's complex");
    }
    auto release = [](int *p) { shmem_free(p); };
    std::unique_ptr<int, decltype(release)> counter(
        static_cast<int *>(shmem_calloc(1, sizeof(int))), release);
    shmem_atomic_inc(counter.get(), 0);
    shmem_barrier_all();
    CHECK(shmem_atomic_fetch(counter.get(), 0) == shmem_n_pes(), "counter of int");
    shmem_barrier_all();
    counter.reset();
    shmem_finalize();
    return checks_failed != 0;
}
