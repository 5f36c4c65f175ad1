// SPDX-License-Identifier: BSD-3-Clause
//
// Clients that several threads use. Calls give up the lock while they wait, so operations of different threads overlap;
// what must not overlap with anything (quiet, fence, draining, native atomics with their one scratch area) empties the
// client: new calls wait until it is done, calls that are under way go on, and are what it waits for.
#include "ofi.h"

void ofi_enter(cwt_client_t *client)
{
    if (!client->config.thread_multiple)
        return;
    pthread_mutex_lock(&client->lock);
    while (client->emptying)
        pthread_cond_wait(&client->calm, &client->lock);
}

bool ofi_empty_begin(cwt_client_t *client)
{
    if (!client->config.thread_multiple || (client->emptying && pthread_equal(client->emptier, pthread_self())))
        return false;
    while (client->emptying)
        pthread_cond_wait(&client->calm, &client->lock);
    client->emptying = true;
    client->emptier = pthread_self();
    return true;
}

void ofi_empty_end(cwt_client_t *client)
{
    client->emptying = false;
    pthread_cond_broadcast(&client->calm);
}
