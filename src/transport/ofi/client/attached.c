// SPDX-License-Identifier: BSD-3-Clause
//
// A client that belongs to the node server: the server makes its progress and sleeps on its device
// beside its own (ops->server_attach). Other threads may use it at the same time: the client's lock
// is taken here, and never held while a thread sleeps.
#include "calls.h"

#include <unistd.h>

#define MOST_SKIPS 1024u
#define FEW_ROUNDS 8u
// Without an event or a message, until the server sleeps without the client's descriptors: each
// descriptor costs each sleep some percent of a round trip.
#define QUIET_ROUNDS 256u

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

bool ofi_attached_may_block(cwt_client_t *client, bool *naps_p, bool *quiet_p)
{
    bool may = true;
    ofi_lock(client);
    *naps_p = client->late > 0;
    *quiet_p = client->quiet.rounds > QUIET_ROUNDS && !*naps_p && client->introducing == 0;
    client->apart_at = client->quiet.tries;
    if (!*quiet_p)
        may = ofi_device_may_block(&client->device);
    ofi_unlock(client);
    return may;
}

bool ofi_attached_begin_apart(cwt_client_t *client)
{
    atomic_store(&client->apart, true);  // before `tries` is read; pairs with ofi_try_message
    // not with quiet.tries: a PE may have sent and polled since the server's lock was given up
    if (atomic_load(&client->tries) == client->apart_at)
        return true;
    atomic_store_explicit(&client->apart, false, memory_order_relaxed);
    return false;
}

void ofi_attached_end_apart(cwt_client_t *client, bool was_woken)
{
    atomic_store_explicit(&client->apart, false, memory_order_relaxed);
    if (!was_woken)
        atomic_store_explicit(&client->device.is_due, true, memory_order_relaxed);
}

void ofi_attached_tried(cwt_client_t *client)
{
    uint64_t one = 1;
    if (atomic_load(&client->apart) && write(client->wake_fd, &one, sizeof one) < 0)
        return;  // the counter is full: it is awake already
}

void ofi_attached_wakes(cwt_client_t *client, int wake_fd)
{
    client->wake_fd = wake_fd;
}
