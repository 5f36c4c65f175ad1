// SPDX-License-Identifier: BSD-3-Clause
//
// Independent reads of independent writes: two PEs store x and y, two others read both, in opposite
// order, until they have seen both stores. The readers must agree which came first, since all PEs
// observe atomics in one order. And write, read, write: a PE that sees a flag, stored after its
// sender had read x, sees x.
#include "litmus.h"

#define BATCH 32

enum { SAME, X_FIRST, Y_FIRST, CHAIN };

static long x[BATCH], y[BATCH];
static uint64_t flag[BATCH];
static char order[2][BATCH];  // 1: this reader saw its first word before the other

static char watch(const long *first, int first_pe, const long *second, int second_pe)
{
    char early = 0;
    for (;;) {
        long a = shmem_long_atomic_fetch(first, first_pe),
             b = shmem_long_atomic_fetch(second, second_pe);
        if (a && b)
            return early;
        if (a)
            early = 1;
    }
}

static void iriw(const int *role, const int *home)
{
    for (int i = 0; i < BATCH; i++) {
        jitter();
        if (me == role[0])
            shmem_long_atomic_set(&x[i], 1, home[0]);
        if (me == role[1])
            shmem_long_atomic_set(&y[i], 1, home[1]);
        if (me == role[2])
            order[0][i] = watch(&x[i], home[0], &y[i], home[1]);
        if (me == role[3])
            order[1][i] = watch(&y[i], home[1], &x[i], home[0]);
    }
    shmem_quiet();
    if (me == role[3])
        shmem_char_put(order[1], order[1], BATCH, role[2]);
    shmem_barrier_all();
    int all[6] = {role[0], role[1], role[2], role[3], home[0], home[1]};
    for (int i = 0; me == role[2] && i < BATCH; i++) {
        if (order[0][i] && order[1][i])
            forbidden("slot %d: PE %d saw x (of PE %d at PE %d) before y (of PE %d at PE %d), PE "
                      "%d the reverse",
                      i, role[2], role[0], home[0], role[1], home[1], role[3]);
        saw(order[0][i] ? X_FIRST : order[1][i] ? Y_FIRST : SAME, between_nodes(all, 6));
    }
}

/** Role 0 stores x at home 0; role 1 sees it there, then flags role 2, which must see it too. */
static void chain(const int *role, const int *home)
{
    int all[4] = {role[0], role[1], role[2], home[0]};
    for (int i = 0; i < BATCH; i++) {
        jitter();
        if (me == role[0])
            shmem_long_p(&x[i], 1, home[0]);
        if (me == role[1]) {
            while (shmem_long_g(&x[i], home[0]) == 0)
                jitter();
            shmem_signal_set(&flag[i], 1, role[2]);
        }
        if (me == role[2]) {
            shmem_signal_wait_until(&flag[i], SHMEM_CMP_EQ, 1);
            long seen = shmem_long_g(&x[i], home[0]);
            if (!seen)
                forbidden("slot %d: PE %d saw x at PE %d and said so, but PE %d read 0", i, role[1],
                          home[0], role[2]);
            saw(CHAIN, between_nodes(all, 4));
        }
        if (me == role[0] && i % 4 == 3)
            shmem_quiet();
    }
}

int main(int argc, char **argv)
{
    outcome_name[SAME] = "readers saw both at once";
    outcome_name[X_FIRST] = "x before y";
    outcome_name[Y_FIRST] = "y before x";
    outcome_name[CHAIN] = "store, read, store: seen along the chain";
    litmus_begin("independent reads", argc, argv, 2500);
    for (; litmus_round < litmus_rounds; litmus_round += BATCH) {
        int role[4], home[2];
        draw_roles(role, 4);
        home[0] = (int)draw((uint32_t)npes);
        home[1] = (int)draw((uint32_t)npes);
        memset(x, 0, sizeof x);
        memset(y, 0, sizeof y);
        memset(flag, 0, sizeof flag);
        shmem_barrier_all();
        if (npes >= 4 && draw(3))
            iriw(role, home);
        else if (npes >= 3)
            chain(role, home);
        shmem_barrier_all();
    }
    return litmus_end();
}
