// SPDX-License-Identifier: BSD-3-Clause
//
// How requests leave: straight to the node server, or routed (routed.h). Threads: any. Blocking:
// all.
#ifndef CW_CORE_RMA_SEND_H
#define CW_CORE_RMA_SEND_H

#include "core/path/contact.h"
#include "core/rma/routed.h"

/** cw_reach for requests: a routed one's record has no connection. */
static inline const cwt_target_t *cw_request_reach(cw_ctx_t *ctx, const char *call, int rank,
                                                   uintptr_t *delta_p)
{
    if (!cw_routed_is_on())
        return cw_reach(ctx, call, rank, delta_p);
    return cw_routed_reach(ctx, call, rank, delta_p);
}

/** conn: where it goes straight. reply: as for cw_routed_send. */
static inline int cw_request_send(int node, cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes,
                                  cwt_reply_t *reply)
{
    return cw_routed_is_on() ? cw_routed_send(node, msg, nbytes, reply)
                             : cw_transport->request(conn, msg, nbytes, reply);
}

static inline int cw_ctx_request_send(const cw_ctx_t *ctx, int rank, cwt_conn_t *conn,
                                      cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    return cw_routed_is_on() ? cw_routed_send(cw_ctx_node(ctx, rank), msg, nbytes, reply)
                             : cw_transport->request(conn, msg, nbytes, reply);
}

static inline int cw_request_wait(cw_ctx_t *ctx, cwt_reply_t *reply)
{
    if (!cw_routed_is_on())
        return cw_transport->wait(ctx->port->client, reply);
    cw_routed_await(reply);
    return 0;
}

#endif
