// SPDX-License-Identifier: BSD-3-Clause
//
// A client that belongs to the node server: the server makes its progress and sleeps on its device
// beside its own (ops->server_attach). Other threads may use it at the same time: the client's lock
// is taken here, and never held while a thread sleeps.
#include "calls.h"

#define MOST_SKIPS 64u
#define FEW_ROUNDS 8u

/** Events come before the poll: reading them may bring completions in, which no descriptor signals
 *  (ofi_device_block). */
static int progress_locked(cwt_client_t *client, bool events)
{
    int n = 0, polled, rounds = 16;
    while (events && ofi_client_events(client) > 0)
        n++;
    while (rounds-- > 0 && (polled = ofi_client_poll(client)) > 0)
        n += polled;
    if (n == 0 && ofi_device_stuck(&client->device)) {
        ofi_device_unstick(&client->device);
        n = ofi_client_poll(client);
    }
    ofi_watch_peers(client);
    return client->error ? client->error : client->lost ? client->lost : n;
}

/** Polls cost system calls, as many again as the server's own. So they become rarer while nothing
 *  comes: what comes then is found later by a quarter of the rounds since the last event or
 *  message, or at once if it ends a sleep. The caller holds the server's lock, none is taken. */
static bool may_skip(cwt_client_t *client)
{
    uint32_t tries = atomic_load_explicit(&client->tries, memory_order_relaxed);
    bool due = atomic_load_explicit(&client->device.is_due, memory_order_relaxed);
    if (due)
        atomic_store_explicit(&client->device.is_due, false, memory_order_relaxed);
    if (due || tries != client->quiet.tries) {
        client->quiet.rounds = client->quiet.poll_at = 0;
        client->quiet.tries = tries;
    }
    return client->quiet.rounds++ < client->quiet.poll_at;
}

/** Decides when to poll next. */
static void polled(cwt_client_t *client, int n)
{
    uint32_t rounds = n > 0 ? 0 : client->quiet.rounds;
    client->quiet.rounds = rounds;
    client->quiet.poll_at = rounds + (rounds / 4 < MOST_SKIPS ? rounds / 4 : MOST_SKIPS);
}

int ofi_attached_progress(cwt_client_t *client, bool events)
{
    if (may_skip(client))
        return 0;
    ofi_lock(client);
    // rounds that were skipped may have been for events
    int n = progress_locked(client, events || client->quiet.rounds > FEW_ROUNDS);
    ofi_unlock(client);
    polled(client, n);
    return n;
}

bool ofi_attached_may_block(cwt_client_t *client, bool *naps_p)
{
    ofi_lock(client);
    *naps_p = client->late > 0;
    bool may = ofi_device_may_block(&client->device);
    ofi_unlock(client);
    return may;
}
