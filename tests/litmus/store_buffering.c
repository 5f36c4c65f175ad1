// SPDX-License-Identifier: BSD-3-Clause
//
// Store buffering: A stores x, quiets, reads y; B stores y, quiets, reads x. At least one of them
// must see the other's store, wherever x and y are: quiet means complete and visible to all. With a
// fence, which completes nothing, both may read 0; that is counted.
#include "litmus.h"

#define BATCH 32

enum { NEITHER_FENCE, ONE, BOTH, ONE_OR_BOTH_FENCE };
enum { P, NBI, SET, HOWS };

static long x[BATCH], y[BATCH], got[2][BATCH], one = 1;
static uint64_t ready[2];

static void store(long *at, int how, int pe)
{
    if (how == P)
        shmem_long_p(at, 1, pe);
    else if (how == NBI)
        shmem_long_put_nbi(at, &one, 1, pe);
    else
        shmem_long_atomic_set(at, 1, pe);
}

static long load(const long *at, int how, int pe)
{
    long value = -1;
    if (how == SET)
        return shmem_long_atomic_fetch(at, pe);
    if (pe == me && own_draw(2))
        return *(const volatile long *)at;
    if (how == P)
        return shmem_long_g(at, pe);
    shmem_long_get_nbi(&value, at, 1, pe);
    shmem_quiet();
    return value;
}

/** One half of a round, as close in time to the other half as two processes can be. */
static void half(int i, int side, const int *role, const int *home, int how, bool fenced,
                 uint64_t turn)
{
    long *mine = side ? y : x, *theirs = side ? x : y;
    shmem_signal_set(&ready[side], turn, role[1 - side]);
    shmem_signal_wait_until(&ready[1 - side], SHMEM_CMP_GE, turn);
    jitter();
    store(&mine[i], how, home[side]);
    if (fenced)
        shmem_fence();
    else
        shmem_quiet();
    got[side][i] = load(&theirs[i], how, home[1 - side]);
}

static void judge(const int *role, const int *home, bool fenced)
{
    int all[4] = {role[0], role[1], home[0], home[1]};
    bool remote = between_nodes(all, 4);
    for (int i = 0; i < BATCH; i++) {
        long a = got[0][i], b = got[1][i];
        if (fenced)
            saw(a || b ? ONE_OR_BOTH_FENCE : NEITHER_FENCE, remote);
        else if (a && b)
            saw(BOTH, remote);
        else if (a || b)
            saw(ONE, remote);
        else
            forbidden("slot %d: PE %d and PE %d stored at PE %d and PE %d, and both read 0 behind "
                      "a quiet",
                      i, role[0], role[1], home[0], home[1]);
    }
}

int main(int argc, char **argv)
{
    uint64_t turn = 0;
    outcome_name[ONE] = "one sees the other's store";
    outcome_name[BOTH] = "both do";
    outcome_name[NEITHER_FENCE] = "fence only: neither does";
    outcome_name[ONE_OR_BOTH_FENCE] = "fence only: one or both do";
    litmus_begin("store buffering", argc, argv, 3000);
    for (; litmus_round < litmus_rounds; litmus_round += BATCH) {
        int role[2], home[2], how = (int)draw(HOWS);
        bool fenced = draw(6) == 0;
        draw_roles(role, 2);
        home[0] = (int)draw((uint32_t)npes);
        home[1] = (int)draw((uint32_t)npes);
        memset(x, 0, sizeof x);
        memset(y, 0, sizeof y);
        shmem_barrier_all();
        for (int i = 0; i < BATCH; i++) {
            turn++;
            for (int side = 0; side < 2; side++)
                if (me == role[side])
                    half(i, side, role, home, how, fenced, turn);
        }
        if (me == role[1])
            shmem_long_put(got[1], got[1], BATCH, role[0]);
        shmem_barrier_all();
        if (me == role[0])
            judge(role, home, fenced);
    }
    return litmus_end();
}
