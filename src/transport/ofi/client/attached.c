// SPDX-License-Identifier: BSD-3-Clause
//
// A client that belongs to the node server: the server makes its progress and sleeps on its device
// beside its own (ops->server_attach). Other threads may use it at the same time: the client's lock
// is taken here, and never held while a thread sleeps.
#include "calls.h"

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

int ofi_attached_progress(cwt_client_t *client, bool events)
{
    ofi_lock(client);
    int n = progress_locked(client, events);
    ofi_unlock(client);
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
