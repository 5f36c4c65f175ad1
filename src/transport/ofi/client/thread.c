// SPDX-License-Identifier: BSD-3-Clause
//
// Clients that several threads use. Calls give up the lock while they wait, so operations of
// different threads overlap. Calls that must not overlap with others (quiet, fence, draining,
// native atomics with their one scratch area) use the client exclusively: new calls wait until they
// are done, and they wait for the calls under way.
#include "calls.h"

#include "base/futex.h"

void ofi_exclusive_wait(cwt_client_t *client)
{
    while (client->exclusive) {
        uint32_t seen = client->exclusive_ends;
        ofi_unlock(client);
        cwu_futex_wait(&client->exclusive_ends, seen, CWU_WAIT_NS(SAFEGUARD));
        ofi_lock(client);
    }
}

bool ofi_exclusive_begin(cwt_client_t *client)
{
    if (!client->config.thread_multiple ||
        (client->exclusive && pthread_equal(client->exclusive_thread, pthread_self())))
        return false;
    ofi_exclusive_wait(client);
    client->exclusive = true;
    client->exclusive_thread = pthread_self();
    return true;
}

void ofi_exclusive_end(cwt_client_t *client)
{
    client->exclusive = false;
    client->exclusive_ends++;
    cwu_futex_wake(&client->exclusive_ends, INT_MAX);
}
