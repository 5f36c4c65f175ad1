// SPDX-License-Identifier: BSD-3-Clause
//
// Load buffering: A reads x, then stores y; B reads y, then stores x. A blocking read is over when
// it returns, so it cannot be that both read what the other stored afterwards.
#include "litmus.h"

#define BATCH 32

enum { NEITHER, ONE };
enum { G, GET, FETCH, HOWS };

static long x[BATCH], y[BATCH], got[2][BATCH];
static uint64_t ready[2];

static void half(int i, int side, const int *role, const int *home, int how, uint64_t turn)
{
    long *theirs = side ? y : x, *mine = side ? x : y, seen = -1;
    shmem_signal_set(&ready[side], turn, role[1 - side]);
    shmem_signal_wait_until(&ready[1 - side], SHMEM_CMP_GE, turn);
    jitter();
    if (how == FETCH)
        seen = shmem_long_atomic_fetch(&theirs[i], home[side]);
    else if (how == G)
        seen = shmem_long_g(&theirs[i], home[side]);
    else
        shmem_long_get(&seen, &theirs[i], 1, home[side]);
    if (how == FETCH)
        shmem_long_atomic_set(&mine[i], 1, home[1 - side]);
    else
        shmem_long_p(&mine[i], 1, home[1 - side]);
    got[side][i] = seen;
}

int main(int argc, char **argv)
{
    uint64_t turn = 0;
    outcome_name[NEITHER] = "neither reads the other's store";
    outcome_name[ONE] = "one does";
    litmus_begin("load buffering", argc, argv, 3000);
    for (; litmus_round < litmus_rounds; litmus_round += BATCH) {
        int role[2], home[2], how = (int)draw(HOWS);
        draw_roles(role, 2);
        home[0] = (int)draw((uint32_t)npes);
        home[1] = (int)draw((uint32_t)npes);
        int all[4] = {role[0], role[1], home[0], home[1]};
        memset(x, 0, sizeof x);
        memset(y, 0, sizeof y);
        shmem_barrier_all();
        for (int i = 0; i < BATCH; i++) {
            turn++;
            for (int side = 0; side < 2; side++)
                if (me == role[side])
                    half(i, side, role, home, how, turn);
        }
        if (me == role[1])
            shmem_long_put(got[1], got[1], BATCH, role[0]);
        shmem_barrier_all();
        for (int i = 0; me == role[0] && i < BATCH; i++) {
            if (got[0][i] && got[1][i])
                forbidden("slot %d: PE %d and PE %d both read what the other stored later", i,
                          role[0], role[1]);
            saw(got[0][i] || got[1][i] ? ONE : NEITHER, between_nodes(all, 4));
        }
    }
    return litmus_end();
}
