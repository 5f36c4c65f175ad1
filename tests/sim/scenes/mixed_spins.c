// SPDX-License-Identifier: BSD-3-Clause
//
// A PE waits by a loop of OpenSHMEM's tests, fetches, or tries of a lock, which the other one ends
// when it has the reply to a message of GASNet's: the loop must run the handler that sends it.
#define GASNET_SEQ 1
#include <shmem.h>
#include <stdbool.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { ASK = 200, REPLY, KINDS = 7 };
static long word, lock;
static uint64_t sig;
static int replied;

static void on_ask(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, REPLY);
}

static void on_reply(gasnet_token_t token)
{
    (void)token;
    replied = 1;
}

static gasnet_handlerentry_t handlers[] = {{ASK, (void (*)())on_ask},
                                           {REPLY, (void (*)())on_reply}};

static bool is_over(int kind)
{
    size_t found[1];
    switch (kind) {
    case 0:
        return shmem_long_test(&word, SHMEM_CMP_EQ, 1);
    case 1:
        return shmem_long_test_all(&word, 1, NULL, SHMEM_CMP_EQ, 1);
    case 2:
        return shmem_long_test_any(&word, 1, NULL, SHMEM_CMP_EQ, 1) == 0;
    case 3:
        return shmem_long_test_some(&word, 1, found, NULL, SHMEM_CMP_EQ, 1) == 1;
    case 4:
        return shmem_signal_fetch(&sig) == 1;
    case 5:
        return shmem_long_atomic_fetch(&word, 1) == 1;
    default:
        return shmem_test_lock(&lock) == 0;
    }
}

static void run(void)
{
    scene_attach(handlers, 2, 0);
    shmem_init();
    if (shmem_my_pe() == 0)
        shmem_set_lock(&lock);
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 0) {
        gasnet_AMRequestShort0(1, ASK);
        GASNET_BLOCKUNTIL(replied);
        shmem_long_p(&word, 1, 1);
        shmem_signal_set(&sig, 1, 1);
        shmem_clear_lock(&lock);
    } else {
        int kind = (int)sim_draw(KINDS);
        while (!is_over(kind))
            ;
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {
    .name = "mixed_spins", .npes = 2, .nnodes = 1, .run = run, .most_steps = 2000000};
