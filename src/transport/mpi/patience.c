// SPDX-License-Identifier: BSD-3-Clause
//
// How a client waits. MPI has nothing to block on, so a long wait sleeps for moments.
#include "transport/mpi/client.h"

#include <time.h>

#include "base/thread.h"

#define POLLS 32u      // rounds without more than MPI's own work,
#define YIELDS 2000u   // then rounds that give the core away,
#define NAP_NS 20000u  // then naps,
#define NAPS 1000u
#define LONG_NAP_NS 500000u

void mpw_wait_round(cwt_client_t *client, mpw_patience_t *patience, int events)
{
    if (client->config.idle)
        client->config.idle(client->config.idle_arg);
    if (events > 0)
        patience->rounds = 0;
    uint32_t round = ++patience->rounds;
    if (round < POLLS)
        return;
    if (round < POLLS + YIELDS && !cwu_yield_is_dear()) {
        cwu_yield();
        return;
    }
    bool brief = round < POLLS + YIELDS + NAPS;
    struct timespec nap = {0, brief ? NAP_NS : LONG_NAP_NS};
    patience->rounds -= !brief;
    if (client->config.asleep)
        client->config.asleep(client->config.idle_arg);
    nanosleep(&nap, NULL);
}
