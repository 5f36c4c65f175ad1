// SPDX-License-Identifier: BSD-3-Clause
//
// A transport whose every slot says CW_ENOTSUP: the start of a new one, and what a job on one node
// could run with.
#include "base/error.h"
#include "transport/transport.h"

#include <string.h>

static int stub_load(bool one_machine)
{
    (void)one_machine;
    return CW_ENOTSUP;
}

static void stub_expect_load(void)
{
}

static bool stub_one_client(void)
{
    return false;
}

static size_t stub_inject_most(void)
{
    return 8;
}

static int stub_server_open(const cwt_server_config_t *config, cwt_server_t **server_p)
{
    (void)config, (void)server_p;
    return CW_ENOTSUP;
}

static int stub_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p)
{
    (void)server, (void)blob, (void)nbytes_p;
    return CW_ENOTSUP;
}

static void stub_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES])
{
    (void)server, (void)secret;
}

static int stub_server_progress(cwt_server_t *server)
{
    (void)server;
    return CW_ENOTSUP;
}

static bool stub_server_may_block(cwt_server_t *server)
{
    (void)server;
    return true;
}

static int stub_server_block(cwt_server_t *server, uint64_t timeout_ns)
{
    (void)server, (void)timeout_ns;
    return CW_ENOTSUP;
}

static void stub_server_wake(cwt_server_t *server)
{
    (void)server;
}

static int stub_server_reply(cwt_from_t *from, const void *payload, size_t nbytes)
{
    (void)from, (void)payload, (void)nbytes;
    return CW_ENOTSUP;
}

static uint64_t stub_server_origin(const cwt_from_t *from)
{
    (void)from;
    return 0;
}

static int stub_server_tell(cwt_server_t *server, uint64_t origin, const void *head,
                            size_t head_nbytes, const void *payload, size_t payload_nbytes)
{
    (void)server, (void)origin, (void)head, (void)head_nbytes, (void)payload, (void)payload_nbytes;
    return CW_ENOTSUP;
}

static void stub_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p)
{
    (void)server;
    memset(stats_p, 0, sizeof *stats_p);
}

static void stub_server_close(cwt_server_t *server)
{
    (void)server;
}

static int stub_open(const cwt_client_config_t *config, cwt_client_t **client_p)
{
    (void)config, (void)client_p;
    return CW_ENOTSUP;
}

static int stub_connect(cwt_client_t *client, int node, const void *blob, size_t nbytes,
                        cwt_conn_t **conn_p)
{
    (void)client, (void)node, (void)blob, (void)nbytes, (void)conn_p;
    return CW_ENOTSUP;
}

static int stub_target(cwt_conn_t *conn, uint32_t slot, uint64_t slice_delta, cwt_target_t *target)
{
    (void)conn, (void)slot, (void)slice_delta, (void)target;
    return CW_ENOTSUP;
}

static int stub_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    (void)conn, (void)offset, (void)src, (void)nbytes, (void)nbi;
    return CW_ENOTSUP;
}

static int stub_put_complete(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    (void)conn, (void)offset, (void)src, (void)nbytes;
    return CW_ENOTSUP;
}

static int stub_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    (void)conn, (void)offset, (void)dst, (void)nbytes, (void)nbi;
    return CW_ENOTSUP;
}

static int stub_request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    (void)conn, (void)msg, (void)nbytes, (void)reply;
    return CW_ENOTSUP;
}

static int stub_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                        size_t payload_nbytes)
{
    (void)conn, (void)msg, (void)nbytes, (void)payload, (void)payload_nbytes;
    return CW_ENOTSUP;
}

static int stub_put_message(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes,
                            bool nbi, cwt_header_t *msg, size_t msg_nbytes)
{
    (void)conn, (void)offset, (void)src, (void)nbytes, (void)nbi, (void)msg, (void)msg_nbytes;
    return CW_ENOTSUP;
}

static int stub_wait(cwt_client_t *client, cwt_reply_t *reply)
{
    (void)client, (void)reply;
    return CW_ENOTSUP;
}

static int stub_amo(cwt_conn_t *conn, uint64_t offset, int op, int nbytes, uint64_t operand,
                    uint64_t compare, uint64_t *old_p)
{
    (void)conn, (void)offset, (void)op, (void)nbytes, (void)operand, (void)compare, (void)old_p;
    return CW_ENOTSUP;
}

static bool stub_pending(cwt_client_t *client)
{
    (void)client;
    return false;
}

static int stub_client(cwt_client_t *client)
{
    (void)client;
    return CW_ENOTSUP;
}

static int stub_look(cwt_client_t *client)
{
    (void)client;
    return 0;
}

static void stub_stats(const cwt_client_t *client, cwt_stats_t *stats_p)
{
    (void)client;
    memset(stats_p, 0, sizeof *stats_p);
}

static void stub_close(cwt_client_t *client)
{
    (void)client;
}

const cwt_ops_t cwt_stub = {
    .name = "stub",
    .expect_load = stub_expect_load,
    .load = stub_load,
    .one_client = stub_one_client,
    .inject_most = stub_inject_most,
    .server_open = stub_server_open,
    .server_address = stub_server_address,
    .server_secret = stub_server_secret,
    .server_progress = stub_server_progress,
    .server_may_block = stub_server_may_block,
    .server_block = stub_server_block,
    .server_wake = stub_server_wake,
    .server_reply = stub_server_reply,
    .server_origin = stub_server_origin,
    .server_tell = stub_server_tell,
    .server_stats = stub_server_stats,
    .server_close = stub_server_close,
    .open = stub_open,
    .connect = stub_connect,
    .target = stub_target,
    .put = stub_put,
    .put_complete = stub_put_complete,
    .get = stub_get,
    .request = stub_request,
    .message = stub_message,
    .put_message = stub_put_message,
    .wait = stub_wait,
    .amo = stub_amo,
    .pending = stub_pending,
    .quiet = stub_client,
    .quiet_begin = stub_client,
    .quiet_over = stub_client,
    .fence = stub_client,
    .progress = stub_client,
    .look = stub_look,
    .stats = stub_stats,
    .close = stub_close,
};
