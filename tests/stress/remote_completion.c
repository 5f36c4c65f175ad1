// SPDX-License-Identifier: BSD-3-Clause
//
// Is quiet true? PE 0 puts, calls quiet, then raises a flag that the network never sees (a page shared outside the
// library). PE 1 sees the flag and reads the whole target: one old word is a failure. Every kind of put, 8 B to 64 KiB.
// STRESS_ROUNDS sets the number of rounds.
#include "outside.h"

#define LARGEST 65536u
enum { PUT, PUT_NBI, P, IPUT, PUT_SIGNAL, PUT_SIGNAL_NBI, ATOMIC_SET, KINDS };

static uint64_t target[LARGEST / 8], source[LARGEST / 8], signal_word;

static size_t words_of_round(uint64_t round)
{
    static const size_t often[8] = {1, 1, 2, 8, 16, 17, 128, 1};
    if (round % 64 == 63)
        return LARGEST / 8;
    if (round % 32 == 31)
        return 1024;
    return often[round / KINDS % 8];
}

static void put_round(uint64_t round, size_t n)
{
    for (size_t i = 0; i < n; i++)
        source[i] = round;
    switch (round % KINDS) {
    case PUT: shmem_uint64_put(target, source, n, 1); break;
    case PUT_NBI: shmem_uint64_put_nbi(target, source, n, 1); break;
    case P:
        for (size_t i = 0; i < (n < 16 ? n : 16); i++)
            shmem_uint64_p(&target[i], round, 1);
        break;
    case IPUT: shmem_uint64_iput(target, source, 2, 1, n / 2 + 1, 1); break;
    case PUT_SIGNAL: shmem_uint64_put_signal(target, source, n, &signal_word, round, SHMEM_SIGNAL_SET, 1); break;
    case PUT_SIGNAL_NBI:
        shmem_uint64_put_signal_nbi(target, source, n, &signal_word, round, SHMEM_SIGNAL_SET, 1);
        break;
    default: shmem_uint64_atomic_set(target, round, 1);
    }
}

static size_t stale_words(uint64_t round, size_t n)
{
    size_t stale = 0, step = 1;
    switch (round % KINDS) {
    case P: n = n < 16 ? n : 16; break;
    case IPUT: n = 2 * (n / 2) + 1; step = 2; break;
    case PUT_SIGNAL: case PUT_SIGNAL_NBI:
        stale += __atomic_load_n(&signal_word, __ATOMIC_RELAXED) != round;
        break;
    case ATOMIC_SET: n = 1; break;
    }
    for (size_t i = 0; i < n; i += step)
        stale += __atomic_load_n(&target[i], __ATOMIC_RELAXED) != round;
    return stale;
}

int main(void)
{
    uint64_t rounds = (uint64_t)env_long("STRESS_ROUNDS", 50000), bad = 0;
    shmem_init();
    _Atomic uint64_t *flag = outside_page(), *echo = flag + 64;
    for (uint64_t r = 1; r <= rounds; r++) {
        size_t n = words_of_round(r);
        if (shmem_my_pe() == 0) {
            put_round(r, n);
            shmem_quiet();
            atomic_store_explicit(flag, r, memory_order_release);
            outside_wait(echo, r);
        } else {
            outside_wait(flag, r);
            size_t stale = stale_words(r, n);
            if (stale && bad++ < 10)
                printf("FAIL: round %lu (kind %lu, %zu words): %zu stale words after quiet\n", (unsigned long)r,
                       (unsigned long)(r % KINDS), n, stale);
            atomic_store_explicit(echo, r, memory_order_release);
        }
    }
    if (shmem_my_pe() == 1)
        printf("%lu rounds, %lu stale\n", (unsigned long)rounds, (unsigned long)bad);
    shmem_finalize();
    return bad != 0;
}
