// SPDX-License-Identifier: BSD-3-Clause
//
// Clients that several threads use. Calls give up the lock while they wait, so operations of
// different threads overlap; what must not overlap with anything (quiet, fence, draining, native
// atomics with their one scratch area) empties the client: new calls wait until it is done, calls
// that are under way go on, and are what it waits for.
#include "ofi.h"

#include "base/futex.h"

#define SLEEP_NS 100000000u  // a wake-up is never missed; should one be, this is all it costs

void ofi_await_calm(cwt_client_t *client)
{
    while (client->emptying) {
        uint32_t seen = client->calm;
        ofi_unlock(client);
        cwu_futex_wait(&client->calm, seen, SLEEP_NS);
        ofi_lock(client);
    }
}

bool ofi_empty_begin(cwt_client_t *client)
{
    if (!client->config.thread_multiple ||
        (client->emptying && pthread_equal(client->emptier, pthread_self())))
        return false;
    ofi_await_calm(client);
    client->emptying = true;
    client->emptier = pthread_self();
    return true;
}

void ofi_empty_end(cwt_client_t *client)
{
    client->emptying = false;
    client->calm++;
    cwu_futex_wake(&client->calm, INT_MAX);
}
