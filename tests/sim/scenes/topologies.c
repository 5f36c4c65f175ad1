// SPDX-License-Identifier: BSD-3-Clause
//
// Each virtual topology of four nodes, of which one has two PEs, with one buffer an edge: atomics
// and signals of all to all by way of the servers, beside puts, which go straight. Half of the runs
// collect the atomics in a session, whose messages wait for room at the next node.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 5, ROUNDS = 2 };
static long counter, added, data[PES];
static uint64_t signals;

static void run(void)
{
    static const char *const names[] = {"fcg", "mfcg", "cfcg", "hypercube", "4", "2x2"};
    setenv("CAUSEWAY_TOPOLOGY", names[sim_setting(0, 6)], 1);
    setenv("CAUSEWAY_COMBINE", sim_setting(1, 2) ? "1" : "0", 1);
    setenv("CAUSEWAY_ENDPOINT", sim_setting(2, 3) ? "msg" : "rdm", 1);
    int in_session = sim_setting(3, 2);
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    long last = -1;
    for (long round = 1; round <= ROUNDS; round++) {
        if (in_session)
            shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
        long seen = shmem_long_atomic_fetch_add(&counter, 1, 0);
        SIM_CHECK(seen > last, "PE %d fetches %ld behind %ld", me, seen, last);
        last = seen;
        for (int k = 1; k < PES; k++) {
            int pe = (me + k) % PES;
            shmem_long_atomic_add(&added, 1, pe);
            shmem_long_put_signal(&data[me], &round, 1, &signals, 1, SHMEM_SIGNAL_ADD, pe);
        }
        if (in_session)
            shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
        shmem_signal_wait_until(&signals, SHMEM_CMP_GE, (uint64_t)(PES - 1) * (uint64_t)round);
        for (int pe = 0; pe < PES; pe++)
            SIM_CHECK(pe == me || data[pe] >= round, "PE %d has %ld of PE %d in round %ld", me,
                      data[pe], pe, round);
        shmem_barrier_all();
        SIM_CHECK(added == (PES - 1) * round, "added are %ld behind the barrier", added);
        shmem_barrier_all();
    }
    sim_end();
    SIM_CHECK(me != 0 || counter == PES * ROUNDS, "counted are %ld", counter);
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_EDGE_BUFFER=4352", "CAUSEWAY_EDGE_BUFFERS=1",
                                  "CAUSEWAY_AGGREGATE=off", NULL};
const sim_scene_t sim_scene = {.name = "topologies",
                               .npes = PES,
                               .nnodes = 4,
                               .run = run,
                               .env = env,
                               .most_steps = 8000000,
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO};
