// SPDX-License-Identifier: BSD-3-Clause
//
// Message passing: the writer stores data, orders, stores a flag; a reader that sees the flag must
// see the data. The reader polls, so that it reads between the two stores. Both words are at the
// reader, which polls by test, or at a third PE, which it reads by get. Without a fence the other
// order is allowed, and counted.
#include "litmus.h"

#define BATCH 64

enum { NONE_YET, DATA_FIRST, BOTH, UNORDERED_BOTH, UNORDERED_FLAG_FIRST };
enum { P_P, NBI_P, ADD_P, P_SET, ADD_ADD, PUT_SIGNALWORD, HOWS };

static long data[BATCH], one = 1;
static uint64_t flag[BATCH];

static void write_one(int i, int how, int order, int pe)
{
    switch (how) {
    case P_P:
    case P_SET:
        shmem_long_p(&data[i], 1, pe);
        break;
    case NBI_P:
        shmem_long_put_nbi(&data[i], &one, 1, pe);
        break;
    case PUT_SIGNALWORD:
        shmem_long_put(&data[i], &one, 1, pe);
        break;
    default:
        shmem_long_atomic_add(&data[i], 1, pe);
    }
    if (order == 1)
        shmem_fence();
    else if (order == 2)
        shmem_quiet();
    jitter();
    if (how == P_SET)
        shmem_uint64_atomic_set(&flag[i], 1, pe);
    else if (how == ADD_ADD)
        shmem_uint64_atomic_add(&flag[i], 1, pe);
    else if (how == PUT_SIGNALWORD)
        shmem_signal_set(&flag[i], 1, pe);
    else
        shmem_uint64_p(&flag[i], 1, pe);
}

static void read_one(int i, int order, int pe, bool remote)
{
    bool seen_data_alone = false;
    for (;;) {
        uint64_t f;
        long d;
        if (pe == me) {
            f = (uint64_t)shmem_uint64_test(&flag[i], SHMEM_CMP_EQ, 1);
            d = *(volatile long *)&data[i];
        } else {
            f = shmem_uint64_g(&flag[i], pe);
            d = shmem_long_g(&data[i], pe);
        }
        if (f && !d && order)
            forbidden("PE %d's slot %d: flag %d, data %ld after %s", pe, i, (int)f, d,
                      order == 1 ? "fence" : "quiet");
        if (f) {
            saw(order ? BOTH : d ? UNORDERED_BOTH : UNORDERED_FLAG_FIRST, remote);
            return;
        }
        if (d && !seen_data_alone)
            saw(DATA_FIRST, remote);
        else if (!d)
            saw(NONE_YET, remote);
        seen_data_alone = seen_data_alone || d;
    }
}

int main(int argc, char **argv)
{
    outcome_name[NONE_YET] = "neither";
    outcome_name[DATA_FIRST] = "data without flag";
    outcome_name[BOTH] = "flag and data";
    outcome_name[UNORDERED_BOTH] = "without a fence: flag and data";
    outcome_name[UNORDERED_FLAG_FIRST] = "without a fence: flag without data";
    litmus_begin("message passing", argc, argv, 4000);
    while (litmus_round < litmus_rounds) {
        int role[3], how = (int)draw(HOWS),
                     order = draw(8) ? 1 + (int)draw(2) : 0;  // writer, reader, place of the words
        draw_roles(role, 3);
        if (draw(2) || npes < 3)
            role[2] = role[1];
        memset(data, 0, sizeof data);
        memset(flag, 0, sizeof flag);
        shmem_barrier_all();
        for (int i = 0; i < BATCH && me == role[0]; i++) {
            jitter();
            write_one(i, how, order, role[2]);
        }
        for (int i = 0; i < BATCH && me == role[1]; i++)
            read_one(i, order, role[2], between_nodes(role, 3));
        shmem_barrier_all();
        litmus_round += BATCH;
    }
    return litmus_end();
}
