// SPDX-License-Identifier: BSD-3-Clause
//
// Fences and accesses to one's own memory within a node: who sees a flag, put behind a fence or
// behind the end of an access, sees what was stored before; the beginning of an access lets a
// process see what came before the flag that it has seen.
#include <armci.h>
#include <message.h>
#include <pthread.h>
#include <stdlib.h>

#include "sim.h"

enum { PROCESSES = 2, ROUNDS = 6, LOOKS = 8 };
enum { FENCE, WATCHED_FENCE, ACCESS_BEGIN, ACCESS_END, KINDS };
static long *at[PROCESSES];
static int kind, me;

static long load(const long *word, int order)
{
    return order == __ATOMIC_ACQUIRE ? __atomic_load_n(word, __ATOMIC_ACQUIRE)
                                     : __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void write_in_order(int proc)
{
    for (long round = 1; round <= ROUNDS; round++) {
        if (kind == ACCESS_END) {
            __atomic_store_n(&at[me][0], round, __ATOMIC_RELAXED);
            ARMCI_Access_end(at[me]);
        } else {
            ARMCI_PutValueLong(round, &at[proc][0], proc);
            ARMCI_Fence(proc);
        }
        ARMCI_PutValueLong(round, &at[proc][8], proc);
    }
}

static void *look(void *arg)
{
    (void)arg;
    for (int i = 0; i < LOOKS; i++) {
        long flag = load(&at[me][8], kind == ACCESS_BEGIN ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE);
        if (kind == ACCESS_BEGIN)
            ARMCI_Access_begin(at[me]);
        long data = load(&at[me][0], __ATOMIC_RELAXED);
        SIM_CHECK(data >= flag, "behind the flag of round %ld the data are %ld", flag, data);
        sim_yield();
    }
    return NULL;
}

static void run(void)
{
    kind = (int)sim_setting(0, KINDS);
    if (kind == WATCHED_FENCE)
        setenv("CAUSEWAY_STATS", "1", 1);
    ARMCI_Init_thread(kind == ACCESS_END ? 3 : 0);
    me = armci_msg_me();
    ARMCI_Malloc((void **)at, 256);
    ARMCI_Barrier();
    sim_begin();
    if (kind == ACCESS_END) {
        pthread_t thread;
        pthread_create(&thread, NULL, look, NULL);
        write_in_order(me);
        pthread_join(thread, NULL);
    } else if (me == 0) {
        write_in_order(1);
    } else {
        look(NULL);
    }
    ARMCI_Barrier();
    sim_end();
    ARMCI_Finalize();
}

const sim_scene_t sim_scene = {.name = "armci_near", .npes = PROCESSES, .nnodes = 1, .run = run};
