// SPDX-License-Identifier: BSD-3-Clause
//
// Marked puts, as they are sent and executed.
#include "core/sync/marked.h"

#include <stdatomic.h>
#include <string.h>

#include "core/mem/segment.h"
#include "core/path/contact.h"
#include "core/port/ctx.h"
#include "core/port/port.h"
#include "core/rma/rma.h"
#include "core/rma/routed.h"
#include "core/route/request.h"
#include "core/server/server.h"
#include "core/sync/area.h"
#include "core/sync/peer.h"
#include "core/world/job.h"

//  0 header | 24 at | 32 word_at | 40 word | 48 payload
typedef struct req_marked {
    cwt_header_t header;
    uint64_t at, word_at;  // in the target's node object
    uint64_t word;
} req_marked_t;
_Static_assert(sizeof(req_marked_t) == 48, "wire format");
_Static_assert(sizeof(req_marked_t) + CW_MARKED_MOST <= CWT_REQUEST_MAX, "a request");

// ---------------------------------------------------------------- the sender

/** Not along routes, which differ from those of puts, nor where lost requests go unnoticed: puts
 *  are acknowledged. */
static bool goes_as_request(void)
{
    return cw_transport->software() && cw_transport->sees_loss() && !cw_routed_is_on() &&
           !cw_world.nic_atomics;
}

/** False: it goes by puts. */
static bool send(int node, const req_marked_t *head, const void *src, size_t nbytes)
{
    req_marked_t msg = *head;
    cw_ctx_t *ctx = &cw_ctx_default;
    size_t all = sizeof *head + nbytes;
    if (nbytes > CW_MARKED_MOST)
        return false;
    cw_ctx_enter(ctx);
    cwt_conn_t *conn = cw_ctx_conn(ctx, node);
    // the transport is loaded where there is a connection
    bool fits = goes_as_request() && all <= cw_transport->request_most(conn);
    if (fits) {
        int rc = nbytes > 0 ? cw_transport->message(conn, &msg.header, sizeof msg, src, nbytes)
                            : cw_transport->request(conn, &msg.header, sizeof msg, NULL);
        if (rc) {
            cw_lost_grace(rc);
            cwu_fatal("cannot reach %s (%s)", cw_job_node_name(node), cwu_error_name(rc));
        }
    }
    cw_ctx_leave(ctx);
    return fits;
}

void cw_marked_put(int node, uint64_t at, const void *src, size_t nbytes, uint64_t word_at,
                   uint64_t word)
{
    req_marked_t head = {
        .header = {.op = CW_REQ_MARKED}, .at = at, .word_at = word_at, .word = word};
    if (send(node, &head, src, nbytes))
        return;
    if (nbytes > 0)
        cw_node_put(node, at, src, nbytes);
    // in order behind what it marks, also where puts are not
    cw_node_put(node, word_at, &word, sizeof word);
}

// ---------------------------------------------------------------- the node server

static bool in_section(const cw_section_t *section, uint64_t at, uint64_t nbytes)
{
    uint64_t length = section->nbytes();
    return at >= section->offset && at - section->offset <= length &&
           nbytes <= length - (at - section->offset);
}

/** *slot_p: whose slice, or -1. */
static bool writable(uint64_t at, uint64_t nbytes, int64_t *slot_p)
{
    uint32_t slot;
    *slot_p = -1;
    if (in_section(&cw_coll_section, at, nbytes) || in_section(&cw_steps_section, at, nbytes))
        return true;
    if (!cw_request_in_bounds(at, nbytes, &slot))
        return false;
    *slot_p = slot;
    return true;
}

static bool execute(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const req_marked_t *req = (const req_marked_t *)(const void *)msg;
    int64_t slot;
    (void)from;
    if (nbytes < sizeof *req)
        return false;
    nbytes -= sizeof *req;
    if ((nbytes > 0 && !writable(req->at, nbytes, &slot)) || req->word_at % sizeof(uint64_t) ||
        !writable(req->word_at, sizeof(uint64_t), &slot))
        return false;
    if (nbytes > 0)
        memcpy(cw_segment.base + req->at, req + 1, nbytes);
    // release: what it marks comes before; seq_cst: before the test for sleepers
    atomic_exchange_explicit((_Atomic uint64_t *)(void *)(cw_segment.base + req->word_at),
                             req->word, memory_order_seq_cst);
    if (slot >= 0)
        cw_local_stored_in_order(cw_world.pes_of_node[slot]);
    return true;
}

void cw_marked_init(void)
{
    cw_server_handle(CW_REQ_MARKED, "collective", execute);
}
