// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of OpenSHMEM that a handler of an active message may make: argv[1] is the one to try.
// The handler runs inside shmem_barrier_all of process 0, which process 1 enters only after it has
// got the reply to its request.
#include <gasnet.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { TRY = 200, DONE };

static const char *what;
static long word, *heap;
static volatile int done;

static void try_it(gasnet_token_t token)
{
    if (!strcmp(what, "ask")) {
        long *near = shmem_ptr(&word, shmem_my_pe());
        if (near == &word && shmem_n_pes() == 2 && shmem_pe_accessible(1) &&
            shmem_addr_accessible(&word, 1))
            *near = 5;
    } else if (!strcmp(what, "p")) {
        shmem_long_p(&word, 1, 1);
    } else if (!strcmp(what, "put")) {
        shmem_putmem(&word, &word + 0, 8, 0);
    } else if (!strcmp(what, "get")) {
        word = shmem_long_g(heap, 1);
    } else if (!strcmp(what, "atomic")) {
        shmem_long_atomic_inc(&word, 1);
    } else if (!strcmp(what, "quiet")) {
        shmem_quiet();
    } else if (!strcmp(what, "barrier")) {
        shmem_barrier_all();
    } else if (!strcmp(what, "wait")) {
        shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
    } else if (!strcmp(what, "malloc")) {
        shmem_malloc(64);
    } else if (!strcmp(what, "gasnet_put")) {
        gasnet_put_val(1, heap, 1, 8);
    } else if (!strcmp(what, "global_exit")) {
        shmem_global_exit(7);
    }
    gasnet_AMReplyShort0(token, DONE);
}

static void on_done(gasnet_token_t token)
{
    (void)token;
    done = 1;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{TRY, (void (*)())try_it}, {DONE, (void (*)())on_done}};
    what = argc > 1 ? argv[1] : "ask";
    shmem_init();
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(table, 2, GASNET_PAGESIZE, 0));
    heap = shmem_calloc(1, sizeof *heap);
    shmem_barrier_all();
    if (shmem_my_pe() == 1) {
        gasnet_AMRequestShort0(0, TRY);
        GASNET_BLOCKUNTIL(done);
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        printf("handler over, word %ld\n", word);
    shmem_free(heap);
    shmem_finalize();
    gasnet_exit(0);
}
