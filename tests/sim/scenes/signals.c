// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for any, some and all of several words, and tests in a loop, while PEs of the own and of
// another node put, count and signal. What lies behind a signal is there; each word is found once.
#include <shmem.h>
#include <unistd.h>

#include "sim.h"

enum { PES = 3, WORDS = 2 };
static uint64_t flags[PES][WORDS];  // by sender
static long data[PES][WORDS];

/** Each PE sends each other PE all its words, in an order of its own. */
static void send(int me)
{
    for (uint32_t first = sim_draw(PES), k = 0; k < PES; k++) {
        int pe = (int)(first + k) % PES;
        for (int i = 0; i < WORDS && pe != me; i++) {
            long value = 10 * me + i;
            switch (sim_draw(3)) {
            case 0:
                shmem_long_put_signal(&data[me][i], &value, 1, &flags[me][i], 1, SHMEM_SIGNAL_SET,
                                      pe);
                break;
            case 1:
                shmem_long_put_signal_nbi(&data[me][i], &value, 1, &flags[me][i], 1,
                                          SHMEM_SIGNAL_ADD, pe);
                shmem_quiet();
                break;
            default:
                shmem_long_p(&data[me][i], value, pe);
                shmem_fence();
                shmem_uint64_atomic_set(&flags[me][i], 1, pe);
            }
        }
    }
}

static void check(int from, int i)
{
    SIM_CHECK(data[from][i] == 10 * from + i, "word %d of PE %d is %ld behind its flag", i, from,
              data[from][i]);
}

static void receive(int from)
{
    int status[WORDS] = {0};
    size_t found[WORDS], n, left = WORDS;
    switch (sim_draw(5)) {
    case 0:
        while (left > 0) {
            size_t i = shmem_uint64_wait_until_any(flags[from], WORDS, status, SHMEM_CMP_EQ, 1);
            SIM_CHECK(i < WORDS && !status[i], "any finds word %zu", i);
            status[i] = 1;
            left--;
        }
        break;
    case 1:
        while (left > 0) {
            n = shmem_uint64_wait_until_some(flags[from], WORDS, found, status, SHMEM_CMP_NE, 0);
            SIM_CHECK(n > 0 && n <= left, "some finds %zu words of %zu", n, left);
            for (size_t k = 0; k < n; k++)
                status[found[k]] = 1;
            left -= n;
        }
        break;
    case 2:
        shmem_uint64_wait_until_all(flags[from], WORDS, NULL, SHMEM_CMP_GE, 1);
        break;
    case 3:
        for (int i = 0; i < WORDS; i++)
            while (!shmem_uint64_test(&flags[from][i], SHMEM_CMP_EQ, 1))
                usleep(20);
        break;
    default:
        for (int i = 0; i < WORDS; i++)
            shmem_signal_wait_until(&flags[from][i], SHMEM_CMP_EQ, 1);
    }
    for (int i = 0; i < WORDS; i++)
        check(from, i);
}

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    send(me);
    for (int k = 1; k < PES; k++)
        receive((me + k) % PES);
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "signals", .npes = PES, .nnodes = 2, .run = run};
