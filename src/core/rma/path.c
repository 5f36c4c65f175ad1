// SPDX-License-Identifier: BSD-3-Clause
//
// Paths, and which of their records puts find.
#include "core/rma/path.h"

#include "core/rma/rma.h"

static void choose(cw_path_t *path, const cwt_target_t *record)
{
    cw_words_set(path->ctx, path->rank, (uintptr_t)record + 1);
}

/** The inject of a minded record. The first put after a quiet goes through the transport; a second
 *  one shows that this was a wrong guess. */
static ssize_t put_minded(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                          uint64_t offset, uint64_t key)
{
    cw_path_t *path = ep;
    cwt_target_t *direct = &path->direct;
    (void)fabric_addr, (void)key;
    if (__atomic_load_n(&path->ctx->room, __ATOMIC_RELAXED) < CW_INJECT_ROOM) {
        cw_ctx_enter(path->ctx);
        choose(path, direct);
        cw_ctx_leave(path->ctx);
        return cw_inject((uintptr_t)direct + 1, (void *)(uintptr_t)(offset - direct->offset), buf,
                         nbytes);
    }
    cw_ctx_must(cw_transport->put(direct->conn, offset, buf, nbytes, false), "put", path->ctx,
                path->rank);
    return 0;
}

void cw_path_own(cw_path_t *path, cw_ctx_t *ctx, int rank)
{
    if (ctx->port == &cw_port_default && ctx != &cw_ctx_default)
        return;
    path->ctx = ctx;
    path->rank = rank;
    path->minded = (cwt_target_t){.inject = put_minded,
                                  .ep = path,
                                  .base = path->direct.offset,
                                  .conn = path->direct.conn,
                                  .offset = path->direct.offset};
}

bool cw_path_minds(const cwt_target_t *record)
{
    return record->inject == put_minded;
}

/** The path of a direct record, or NULL: the word leads to a record of another kind. */
static cw_path_t *path_of(const cw_port_t *port, uintptr_t word)
{
    for (int node = 0; port->paths && node < cw_world.nnodes; node++) {
        cw_path_t *first = port->paths[node];
        uintptr_t at = word - 1 - (uintptr_t)first;
        if (first && at < (size_t)cw_world.slots_of_node[node] * sizeof *first)
            return at % sizeof *first == 0 ? &first[at / sizeof *first] : NULL;
    }
    return NULL;
}

void cw_path_quiet(cw_ctx_t *ctx, uintptr_t last)
{
    cw_port_t *port = ctx->port;
    uintptr_t cold = port->last_put;
    port->last_put = 0;
    if (__atomic_exchange_n(&ctx->room, CW_INJECT_ROOM, __ATOMIC_RELAXED) != CW_INJECT_ROOM - 1)
        return;
    cw_path_t *path = path_of(port, last);
    if (!path && cold)
        path = path_of(port, cold);
    if (path && path->ctx == ctx)
        choose(path, &path->minded);
}
