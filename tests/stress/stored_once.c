// SPDX-License-Identifier: BSD-3-Clause
//
// Each way of raising a flag within the node stores it once. The call is single-stepped (the
// processor's trap flag), and after every instruction a handler clears the flag and counts, as the
// fastest owner could. The C library's memcpy proves that the test detects double stores: it stores
// 8 bytes as two overlapping halves. Between nodes the owner steps its own progress, in which the
// provider stores what has come by puts: once, too. x86-64 only.
#define _GNU_SOURCE
#include <shmem.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__)

#define FLAG(change)                                               \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" change \
                     "\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::       \
                         : "cc", "memory")
#define STEP_BEGIN() FLAG("orq $0x100, (%%rsp)")
#define STEP_END() FLAG("andq $~0x100, (%%rsp)")

static _Alignas(64) uint64_t flag[8];
static volatile uint64_t *watched;
static volatile int stores;
static int failures;

static void on_trap(int signo)
{
    (void)signo;
    if (*watched) {
        *watched = 0;
        stores++;
    }
}

static const uint64_t one = 1;
static volatile size_t eight = 8, four = 4, two = 2, single = 1;

#define COUNT(what, expected, call)                                     \
    do {                                                                \
        *watched = 0;                                                   \
        stores = 0;                                                     \
        STEP_BEGIN();                                                   \
        call;                                                           \
        STEP_END();                                                     \
        int n = stores;                                                 \
        printf("%-28s stored %d time%s\n", what, n, n == 1 ? "" : "s"); \
        if ((expected) && n != (expected)) {                            \
            printf("FAIL: %s must store %d time\n", what, (expected));  \
            failures++;                                                 \
        }                                                               \
    } while (0)

static void all_ways(int pe)
{
    void *w = (void *)flag;
    COUNT("shmem_uint64_p", 1, shmem_uint64_p(w, 1, pe));
    COUNT("shmem_uint32_p", 1, shmem_uint32_p(w, 1, pe));
    COUNT("shmem_uint64_put", 1, shmem_uint64_put(w, &one, single, pe));
    COUNT("shmem_uint32_put", 1,
          shmem_uint32_put(w, (const uint32_t *)(const void *)&one, single, pe));
    COUNT("shmem_uint16_put", 1,
          shmem_uint16_put(w, (const uint16_t *)(const void *)&one, single, pe));
    shmem_uint64_put_nbi(w, &one, single, pe);  // in checking mode the next one is known
    COUNT("shmem_uint64_put_nbi", 1, shmem_uint64_put_nbi(w, &one, single, pe));
    COUNT("shmem_putmem, 8 bytes", 1, shmem_putmem(w, &one, eight, pe));
    COUNT("shmem_putmem, 4 bytes", 1, shmem_putmem(w, &one, four, pe));
    COUNT("shmem_putmem, 2 bytes", 1, shmem_putmem(w, &one, two, pe));
    COUNT("shmem_uint64_iput", 1, shmem_uint64_iput(w, &one, 1, 1, single, pe));
    COUNT("shmem_uint16_iput", 1,
          shmem_uint16_iput(w, (const uint16_t *)(const void *)&one, 1, 1, single, pe));
    COUNT("shmem_uint64_atomic_set", 1, shmem_uint64_atomic_set(w, 1, pe));
    COUNT("shmem_uint64_atomic_add", 1, shmem_uint64_atomic_add(w, 1, pe));
    COUNT("shmem_signal_set", 1, shmem_signal_set(w, 1, pe));
    COUNT("shmem_uint64_put_signal", 1,
          shmem_uint64_put_signal(&flag[4], &one, single, w, 1, SHMEM_SIGNAL_SET, pe));
}

/** ofi_rxm takes a hundred times as many steps per round as the others do. */
static int rounds(void)
{
    const char *provider = getenv("CAUSEWAY_PROVIDER");
    return provider && strstr(provider, "rxm") ? 15 : 60;
}

enum { P, PUT, PUT4, PUT2, SET, SIGNAL, WAYS };
static const char *const names[WAYS] = {"shmem_uint64_p",          "shmem_uint64_put",
                                        "shmem_uint32_put",        "shmem_uint16_put",
                                        "shmem_uint64_atomic_set", "shmem_signal_set"};

static void raise_far(int how)
{
    if (how == P)
        shmem_uint64_p(flag, 1, 1);
    else if (how == PUT)
        shmem_uint64_put(flag, &one, 1, 1);
    else if (how == PUT4)
        shmem_uint32_put((uint32_t *)flag, (const uint32_t *)(const void *)&one, 1, 1);
    else if (how == PUT2)
        shmem_uint16_put((uint16_t *)flag, (const uint16_t *)(const void *)&one, 1, 1);
    else if (how == SET)
        shmem_uint64_atomic_set(flag, 1, 1);
    else
        shmem_signal_set(flag, 1, 1);
    shmem_quiet();
}

/** How often this thread's progress stored one flag; 0: the server's thread was faster. */
static int step_progress(void)
{
    for (;;) {
        STEP_BEGIN();
        shmem_uint64_test(&flag[6], SHMEM_CMP_NE, 0);
        STEP_END();
        if (stores)
            return stores;
        if (*watched)
            return 0;
    }
}

static void between_nodes(int me)
{
    static uint64_t go, done;
    uint64_t turn = 0;
    int nrounds = rounds();
    for (int how = 0; how < WAYS; how++) {
        int seen[4] = {0};
        for (int r = 0; r < nrounds; r++) {
            turn++;
            if (me == 0) {
                shmem_signal_wait_until(&go, SHMEM_CMP_EQ, turn);
                raise_far(how);
                shmem_signal_wait_until(&done, SHMEM_CMP_EQ, turn);
                continue;
            }
            stores = 0;
            *watched = 0;
            shmem_signal_set(&go, turn, 0);
            int n = step_progress();
            seen[n > 3 ? 3 : n]++;
            shmem_signal_set(&done, turn, 0);
        }
        if (me == 0)
            continue;
        printf("%-28s stored once %d, twice or more %d times; not seen %d\n", names[how], seen[1],
               seen[2] + seen[3], seen[0]);
        if (seen[2] + seen[3]) {
            printf("FAIL: %s must store once\n", names[how]);
            failures++;
        }
    }
}

int main(void)
{
    shmem_init();
    int pe = (shmem_my_pe() + 1) % shmem_n_pes();
    signal(SIGTRAP, on_trap);
    watched = flag;
    shmem_barrier_all();
    if (shmem_n_pes() == 2 && !shmem_ptr(flag, pe)) {
        between_nodes(shmem_my_pe());
    } else if (shmem_my_pe() == 0) {
        uint64_t plain[8] = {0};
        watched = plain;
        COUNT("memcpy of 8 bytes", 0, memcpy(plain, &one, eight));
        if (stores == 0) {
            printf("FAIL: the test sees nothing\n");
            failures++;
        }
        watched = shmem_ptr(flag, pe);
        if (!watched)
            abort();
        all_ways(pe);
        watched = flag;
        all_ways(0);
    }
    shmem_barrier_all();
    shmem_finalize();
    return failures != 0;
}

#else

int main(void)
{
    printf("SKIP: single-stepping is for x86-64\n");
    return 77;
}

#endif
