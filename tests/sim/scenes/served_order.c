// SPDX-License-Identifier: BSD-3-Clause
//
// Requests of one PE execute at a node in the order sent (transport/transport.h), and who sees a
// word that one has stored sees what those before it have stored. Programs have no such promise
// without a fence; the order of ARMCI's operations is made of it. Strided puts, and puts of
// sessions that batch.
#include <shmem.h>

#include "sim.h"

enum { ROUNDS = 8, LOOKS = 300 };
enum { DATA_STRIDED, FLAG_STRIDED, KINDS };
static long data[8], flags[8];

static void put(long *words, long round, int strided)
{
    long values[2] = {round, round};
    if (strided) {
        shmem_long_iput(words, values, 4, 1, 2, 1);
        return;
    }
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
    shmem_long_p(&words[0], round, 1);
    shmem_long_p(&words[4], round, 1);
    shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
}

static void write_in_order(int kind)
{
    for (long round = 1; round <= ROUNDS; round++) {
        put(data, round, kind == DATA_STRIDED);
        put(flags, round, kind == FLAG_STRIDED);
    }
}

static void look(void)
{
    for (long i = 0, flag = 0; i < LOOKS && flag < ROUNDS; i++) {
        flag = __atomic_load_n(&flags[0], __ATOMIC_ACQUIRE);
        long then = __atomic_load_n(&data[4], __ATOMIC_RELAXED);
        SIM_CHECK(then >= flag, "behind the flag of round %ld the word is %ld", flag, then);
        sim_look_again();
    }
}

static void run(void)
{
    int kind = (int)sim_setting(0, KINDS);
    shmem_init();
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 0)
        write_in_order(kind);
    else
        look();
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=off", NULL};
const sim_scene_t sim_scene = {
    .name = "served_order", .npes = 2, .nnodes = 2, .run = run, .env = env};
