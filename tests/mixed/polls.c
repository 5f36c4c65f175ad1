// SPDX-License-Identifier: BSD-3-Clause
//
// A process that waits for OpenSHMEM by a loop of tests handles GASNet's messages meanwhile, as one
// in shmem_wait_until does: process 0 waits for the replies of all before it ends their loops.
#include <gasnet.h>
#include <shmem.h>

#include "frame/check.h"

enum { ASK = 200, REPLY, FORMS = 6 };

static long word, lock;
static uint64_t sig;
static volatile int replies;

static void on_ask(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, REPLY);
}

static void on_reply(gasnet_token_t token)
{
    (void)token;
    replies++;
}

static int waits(int form, long round)
{
    size_t found[1];
    switch (form) {
    case 0:
        return !shmem_long_test(&word, SHMEM_CMP_GE, round);
    case 1:
        return !shmem_long_test_all(&word, 1, NULL, SHMEM_CMP_GE, round);
    case 2:
        return shmem_long_test_any(&word, 1, NULL, SHMEM_CMP_GE, round) != 0;
    case 3:
        return shmem_long_test_some(&word, 1, found, NULL, SHMEM_CMP_GE, round) == 0;
    case 4:
        return shmem_signal_fetch(&sig) < (uint64_t)round;
    default:
        if (shmem_test_lock(&lock) != 0)
            return 1;
        shmem_clear_lock(&lock);
        return 0;
    }
}

static void release(long round, int npes)
{
    for (int pe = 1; pe < npes; pe++) {
        shmem_long_p(&word, round, pe);
        shmem_signal_set(&sig, (uint64_t)round, pe);
    }
    shmem_clear_lock(&lock);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{ASK, (gasnet_causeway_fnptr_t)on_ask},
                                     {REPLY, (gasnet_causeway_fnptr_t)on_reply}};
    gasnet_init(&argc, &argv);
    gasnet_attach(table, 2, GASNET_PAGESIZE, 0);
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    for (long round = 1; round <= 2 * FORMS; round++) {
        if (me == 0)
            shmem_set_lock(&lock);
        shmem_barrier_all();
        if (me == 0) {
            for (int pe = 1; pe < npes; pe++)
                gasnet_AMRequestShort0((gasnet_node_t)pe, ASK);
            GASNET_BLOCKUNTIL(replies == (int)round * (npes - 1));
            release(round, npes);
        }
        while (me != 0 && waits((int)round % FORMS, round))
            ;
        shmem_barrier_all();
        CHECK(me == 0 || word == round);
    }
    CHECK(me != 0 || replies == 2 * FORMS * (npes - 1));
    const int status = check_result();
    fflush(stdout);
    shmem_finalize();
    gasnet_exit(status);
}
