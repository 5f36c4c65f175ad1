// SPDX-License-Identifier: BSD-3-Clause
//
// Local and remote mixed: a writer stores at one PE, quiets, and notifies another PE, which must
// find the data at the first. Writer, holder and reader may share nodes in any way: the data
// travels by shared memory and the word by the network, or the reverse.
#include "litmus.h"

#define LENGTH 64

enum { LOCAL_DATA, REMOTE_DATA };
enum { P, PUT, NBI, STORE, ADD, SIGNALLED, HOWS };
enum { T_P, T_SIGNAL, T_SET, T_BARRIER_FREE_PUT, NOTIFIES };

static long area[2][LENGTH], source[LENGTH], *data;  // two rounds may be in flight
static uint64_t word[64], extra;

static void store(int how, long value, int pe)
{
    long *direct = shmem_ptr(data, pe);
    for (int i = 0; i < LENGTH; i++)
        source[i] = value + i;
    if (how == P) {
        for (int i = 0; i < LENGTH; i++)
            shmem_long_p(&data[i], source[i], pe);
    } else if (how == NBI) {
        shmem_long_put_nbi(data, source, LENGTH, pe);
    } else if (how == ADD) {
        for (int i = 0; i < LENGTH; i++)
            shmem_long_atomic_set(&data[i], source[i], pe);
    } else if (how == SIGNALLED) {
        shmem_long_put_signal_nbi(data, source, LENGTH, &extra, 1, SHMEM_SIGNAL_SET, pe);
    } else if (how == STORE && direct) {
        for (int i = 0; i < LENGTH; i++)
            direct[i] = source[i];
    } else {
        shmem_long_put(data, source, LENGTH, pe);
    }
}

static void notify(int how, uint64_t *at, uint64_t value, int pe)
{
    if (how == T_P)
        shmem_uint64_p(at, value, pe);
    else if (how == T_SIGNAL)
        shmem_signal_set(at, value, pe);
    else if (how == T_SET)
        shmem_uint64_atomic_set(at, value, pe);
    else
        shmem_uint64_put(at, &value, 1, pe);
}

static void find(int how, const int *role, long value)
{
    long got[LENGTH];
    const long *direct = shmem_ptr(data, role[1]);
    if (how == 0 && direct)
        for (int i = 0; i < LENGTH; i++)
            got[i] = ((const volatile long *)direct)[i];
    else
        shmem_long_get(got, data, LENGTH, role[1]);
    for (int i = 0; i < LENGTH; i++)
        if (got[i] != value + i) {
            forbidden(
                "PE %d stored at PE %d, quieted and notified PE %d, which reads %ld instead of %ld",
                role[0], role[1], role[2], got[i], value + i);
            break;
        }
    saw(litmus_node[role[0]] == litmus_node[role[1]] ? LOCAL_DATA : REMOTE_DATA,
        litmus_node[role[0]] != litmus_node[role[2]]);
}

int main(int argc, char **argv)
{
    static uint64_t done[64];
    outcome_name[LOCAL_DATA] = "data on the writer's node; notified on";
    outcome_name[REMOTE_DATA] = "data on another node; notified on";
    litmus_begin("third party", argc, argv, 4000);
    for (; litmus_round < litmus_rounds; litmus_round++) {
        int role[3], how = (int)draw(HOWS), by = (int)draw(NOTIFIES), look = (int)draw(2);
        uint64_t turn = (uint64_t)litmus_round + 1;
        data = area[litmus_round % 2];
        draw_roles(role, 3);
        role[1] = (int)draw((uint32_t)npes);
        if (me == role[0]) {
            store(how, litmus_round * 1000, role[1]);
            jitter();
            shmem_quiet();
            notify(by, &word[role[0] % 64], turn, role[2]);
            shmem_signal_wait_until(&done[role[2] % 64], SHMEM_CMP_EQ, turn);
        }
        if (me == role[2]) {
            shmem_uint64_wait_until(&word[role[0] % 64], SHMEM_CMP_EQ, turn);
            find(look, role, litmus_round * 1000);
            shmem_signal_set(&done[role[2] % 64], turn, role[0]);
        }
        if (litmus_round % 2 == 1)
            shmem_sync_all();
    }
    return litmus_end();
}
