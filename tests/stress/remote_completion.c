// SPDX-License-Identifier: BSD-3-Clause
//
// Checks that quiet is true: PE 0 puts, calls quiet, then raises a flag outside the network (a page
// shared outside the library). PE 1 sees the flag and reads the whole target: one old word is a
// failure. Every kind of put, 8 B to 64 KiB. STRESS_ROUNDS sets the number of rounds,
// STRESS_SECONDS ends the test earlier on a slow machine (0: never), but not before a thousand
// rounds.
#include "outside.h"

#define LARGEST 65536u
#define ENOUGH UINT64_MAX
#define FEWEST 1000u
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
    case PUT:
        shmem_uint64_put(target, source, n, 1);
        break;
    case PUT_NBI:
        shmem_uint64_put_nbi(target, source, n, 1);
        break;
    case P:
        for (size_t i = 0; i < (n < 16 ? n : 16); i++)
            shmem_uint64_p(&target[i], round, 1);
        break;
    case IPUT:
        shmem_uint64_iput(target, source, 2, 1, (n + 1) / 2, 1);
        break;
    case PUT_SIGNAL:
        shmem_uint64_put_signal(target, source, n, &signal_word, round, SHMEM_SIGNAL_SET, 1);
        break;
    case PUT_SIGNAL_NBI:
        shmem_uint64_put_signal_nbi(target, source, n, &signal_word, round, SHMEM_SIGNAL_SET, 1);
        break;
    default:
        shmem_uint64_atomic_set(target, round, 1);
    }
}

static size_t stale_words(uint64_t round, size_t n)
{
    size_t stale = 0, step = 1;
    switch (round % KINDS) {
    case P:
        n = n < 16 ? n : 16;
        break;
    case IPUT:
        step = 2;
        break;
    case PUT_SIGNAL:
    case PUT_SIGNAL_NBI:
        stale += __atomic_load_n(&signal_word, __ATOMIC_RELAXED) != round;
        break;
    case ATOMIC_SET:
        n = 1;
        break;
    }
    for (size_t i = 0; i < n; i += step)
        stale += __atomic_load_n(&target[i], __ATOMIC_RELAXED) != round;
    return stale;
}

static uint64_t send_rounds(_Atomic uint64_t *flag, _Atomic uint64_t *echo, uint64_t rounds,
                            double seconds)
{
    double end = now_s() + seconds;
    uint64_t r = 1;
    for (; r <= rounds && (r <= FEWEST || seconds == 0 || now_s() < end); r++) {
        put_round(r, words_of_round(r));
        shmem_quiet();
        atomic_store_explicit(flag, r, memory_order_release);
        outside_wait(echo, r);
    }
    atomic_store_explicit(flag, ENOUGH, memory_order_release);
    return 0;
}

static uint64_t check_rounds(_Atomic uint64_t *flag, _Atomic uint64_t *echo)
{
    uint64_t bad = 0, seen = 0, now;
    while (1) {
        while ((now = atomic_load_explicit(flag, memory_order_acquire)) == seen)
            sched_yield();
        if (now == ENOUGH)
            break;
        seen = now;
        size_t n = words_of_round(seen), stale = stale_words(seen, n);
        if (stale && bad++ < 10)
            printf("FAIL: round %lu (kind %lu, %zu words): %zu stale words after quiet\n",
                   (unsigned long)seen, (unsigned long)(seen % KINDS), n, stale);
        atomic_store_explicit(echo, seen, memory_order_release);
    }
    printf("%lu rounds, %lu stale\n", (unsigned long)seen, (unsigned long)bad);
    return bad;
}

int main(void)
{
    uint64_t rounds = (uint64_t)env_long("STRESS_ROUNDS", 20000);
    double seconds = (double)env_long("STRESS_SECONDS", 20);
    shmem_init();
    _Atomic uint64_t *flag = outside_page(), *echo = flag + 64;
    uint64_t bad =
        shmem_my_pe() == 0 ? send_rounds(flag, echo, rounds, seconds) : check_rounds(flag, echo);
    shmem_finalize();
    return bad != 0;
}
