// SPDX-License-Identifier: BSD-3-Clause
//
// A flag that its owner clears must not rise again. The sender raises it in every possible way; the
// owner spins on the plain word (to be as fast as possible), clears it at once and watches it for a
// while. A store that is made twice would show. argv[1]: rounds.
#include "outside.h"

#include <stdbool.h>

#include <string.h>

#define WATCH 400

enum { P, PUT, PUT4, PUT2, IPUT, SET, SIGNAL, PUT_SIGNAL, WAYS };
static const char *const names[WAYS] = {"p",    "put of 8",   "put of 4", "put of 2",
                                        "iput", "atomic set", "signal",   "put with signal"};

static _Alignas(64) union {
    volatile uint64_t u64;
    volatile uint32_t u32;
    volatile uint16_t u16;
    uint64_t word;
} flag;
static _Alignas(64) uint64_t ack, payload[2];

static void raise_flag(int how, int pe)
{
    uint64_t one = 1;
    switch (how) {
    case P:
        shmem_uint64_p(&flag.word, 1, pe);
        break;
    case PUT:
        shmem_uint64_put(&flag.word, &one, 1, pe);
        break;
    case PUT4:
        shmem_uint32_put((uint32_t *)(void *)&flag.word, (uint32_t *)(void *)&one, 1, pe);
        break;
    case PUT2:
        shmem_uint16_put((uint16_t *)(void *)&flag.word, (uint16_t *)(void *)&one, 1, pe);
        break;
    case IPUT:
        shmem_uint64_iput(&flag.word, &one, 1, 1, 1, pe);
        break;
    case SET:
        shmem_uint64_atomic_set(&flag.word, 1, pe);
        break;
    case SIGNAL:
        shmem_signal_set(&flag.word, 1, pe);
        break;
    default:
        shmem_uint64_put_signal(payload, payload + 1, 1, &flag.word, 1, SHMEM_SIGNAL_SET, pe);
    }
}

/** Clears the flag in the width in which it was raised; true: it rose again. */
static bool take_flag(int how)
{
    for (uint32_t spins = 0; flag.u64 == 0; spins++)
        if (spins % 20000 == 19999)
            shmem_uint64_test(&flag.word, SHMEM_CMP_EQ, 1);  // progress for the sender's sake
    if (how == PUT4)
        flag.u32 = 0;
    else if (how == PUT2)
        flag.u16 = 0;
    else
        flag.u64 = 0;
    for (int i = 0; i < WATCH; i++)
        if (flag.u64 != 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 20000, again[WAYS] = {0};
    int failed = 0;
    shmem_init();
    int me = shmem_my_pe(), other = 1 - me;
    shmem_barrier_all();
    for (int how = 0; how < WAYS; how++)
        for (long r = 1; r <= rounds; r++) {
            uint64_t turn = (uint64_t)how * (uint64_t)rounds + (uint64_t)r;
            if (me == 0) {
                raise_flag(how, other);
                shmem_quiet();
                shmem_signal_wait_until(&ack, SHMEM_CMP_EQ, turn);
            } else {
                again[how] += take_flag(how);
                flag.u64 = 0;
                shmem_signal_set(&ack, turn, other);
            }
        }
    for (int how = 0; how < WAYS && me == 1; how++) {
        printf("%-16s %ld of %ld flags rose again\n", names[how], again[how], rounds);
        if (again[how]) {
            printf("FAIL: a word is stored twice\n");
            failed = 1;
        }
    }
    shmem_barrier_all();
    shmem_finalize();
    return failed;
}
