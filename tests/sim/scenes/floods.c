// SPDX-License-Identifier: BSD-3-Clause
//
// Single puts, some and many, each lot with its quiet, so that floods begin and end: a get behind
// the quiet brings what was put. Between lots the neighbour, which sleeps, is woken by a put on a
// context without stores.
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum { PES = 3, LOTS = 8, MOST = 30, FAR = 2 };
static long there[MOST], word;
static char much[1 << 16], out[1 << 16], back[1 << 16];

static void put_lot(shmem_ctx_t ctx, int n, long value)
{
    for (int i = 0; i < n; i++)
        shmem_ctx_long_p(ctx, &there[i], value + i, FAR);
    shmem_ctx_quiet(ctx);
    int i = (int)sim_draw((uint32_t)n);
    long seen = shmem_ctx_long_g(ctx, &there[i], FAR);
    SIM_CHECK(seen == value + i, "word %d is %ld behind its quiet, not %ld", i, seen, value + i);
}

static void send_lots(shmem_ctx_t nostore)
{
    static const int lengths[] = {1, 1, 1, 3, MOST};
    int n = MOST;
    for (long lot = 1; lot <= LOTS; lot++) {
        put_lot(SHMEM_CTX_DEFAULT, n, 1000 * lot);
        n = lot % 4 < 2 ? lengths[sim_draw(5)] : 1;
        if (lot % 4 == 0) {
            shmem_ctx_long_p(nostore, &word, lot, 1);
            shmem_ctx_quiet(nostore);
        }
    }
}

/** More than a copy through the caches. */
static void put_much(char value)
{
    memset(out, value, sizeof out);
    shmem_putmem(much, out, sizeof out, 1);
    shmem_quiet();
    shmem_getmem(back, much, sizeof back, 1);
    SIM_CHECK(memcmp(out, back, sizeof out) == 0, "a long put on the node does not come back");
}

static void run(void)
{
    shmem_ctx_t nostore;
    setenv("CAUSEWAY_AGGREGATE", sim_setting(0, 2) ? "on" : "auto", 1);
    shmem_init();
    int me = shmem_my_pe();
    SIM_CHECK(shmem_ctx_create(SHMEM_CTX_NOSTORE | SHMEM_CTX_PRIVATE, &nostore) == 0,
              "there is no context");
    shmem_barrier_all();
    sim_begin();
    if (me == 0) {
        send_lots(nostore);
        put_much((char)(1 + sim_draw(100)));
    }
    for (long lot = 4; lot <= LOTS && me == 1; lot += 4)
        shmem_long_wait_until(&word, SHMEM_CMP_GE, lot);
    shmem_barrier_all();
    sim_end();
    shmem_ctx_destroy(nostore);
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "floods", .npes = PES, .nnodes = 2, .run = run, .most_steps = 64000000};
