// SPDX-License-Identifier: BSD-3-Clause
//
// The transport's table.
#include "ofi.h"

#include "client/calls.h"
#include "server/server.h"

/** The halves do not know each other: the server gets what it needs of the client. */
static void server_attach(cwt_server_t *server, cwt_client_t *client)
{
    server->attached = (ofi_attached_t){.client = client,
                                        .device = client ? &client->device : NULL,
                                        .progress = ofi_attached_progress,
                                        .may_block = ofi_attached_may_block,
                                        .begin_apart = ofi_attached_begin_apart,
                                        .end_apart = ofi_attached_end_apart};
    if (client)
        ofi_attached_wakes(client, server->wake_fd);
}

/** Each process loads its own library and opens its halves when it needs them. */
static int join(const cwt_layout_t *layout, void *base, int pe, int npes)
{
    (void)layout, (void)base, (void)pe, (void)npes;
    return 0;
}

static void leave(void)
{
}

const cwt_ops_t cwt_ofi = {
    .name = "ofi",
    .begin_load = ofi_begin_load,
    .load = ofi_load,
    .join = join,
    .leave = leave,
    .one_client = ofi_one_client,
    .inject_most = ofi_inject_most,
    .needs_memory = ofi_needs_memory,
    .software = ofi_software,
    .sees_loss = ofi_sees_loss,
    .threads_serve = ofi_threads_serve,
    .request_most = ofi_request_most,
    .server_open = ofi_server_open,
    .server_address = ofi_server_address,
    .server_secret = ofi_server_secret,
    .server_progress = ofi_server_progress,
    .server_may_block = ofi_server_may_block,
    .server_block = ofi_server_block,
    .server_wake = ofi_server_wake,
    .server_reply = ofi_server_reply,
    .server_origin = ofi_server_origin,
    .server_pe = ofi_server_pe,
    .server_attach = server_attach,
    .server_notify = ofi_server_notify,
    .life_names = ofi_life_names,
    .server_stats = ofi_server_stats,
    .server_close = ofi_server_close,
    .open = ofi_client_open,
    .connect = ofi_connect,
    .target = ofi_target,
    .put = ofi_put,
    .put_complete = ofi_put_complete,
    .get = ofi_get,
    .get_begin = ofi_get_begin,
    .release = ofi_release,
    .request = ofi_request,
    .last_request = ofi_last_request,
    .message = ofi_message,
    .try_message = ofi_try_message,
    .put_message = ofi_put_message,
    .wait = ofi_wait,
    .amo = ofi_amo,
    .quiet = ofi_quiet,
    .quiet_begin = ofi_quiet_begin,
    .quiet_test = ofi_quiet_test,
    .fence = ofi_fence,
    .progress = ofi_progress,
    .poll = ofi_poll,
    .stats = ofi_client_stats,
    .close = ofi_client_close,
};
