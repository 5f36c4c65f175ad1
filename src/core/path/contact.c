// SPDX-License-Identifier: BSD-3-Clause
//
// First contact.
#include "core/path/contact.h"

#include <stdlib.h>

#include "base/clock.h"
#include "core/mem/segment.h"
#include "core/path/bundle.h"
#include "core/path/path.h"
#include "core/progress/hooks.h"
#include "core/world/job.h"

static void idle(void *arg)
{
    (void)arg;
    (void)cw_progress_hooks.poll_server();
}

static void asleep(void *arg)
{
    (void)arg;
    cw_progress_hooks.leave_server();
}

static bool is_leaving(void)
{
    return atomic_load_explicit(&cw_world.leaving, memory_order_relaxed);
}

static int open_client(cw_port_t *port)
{
    cwt_client_config_t config = {.pe = cw_world.pe,
                                  .npes = cw_world.npes,
                                  .node = cw_world.node,
                                  .layout = cw_segment.layout,
                                  .thread_multiple = port->locked,
                                  .one_machine = cw_boot.one_machine,
                                  .idle = idle,
                                  .asleep = asleep,
                                  .make_room = cw_port_close_spare,
                                  .node_name = cw_job_node_name,
                                  .leaving = is_leaving,
                                  .ended = cw_job_is_ended};
    const cw_progress_hooks_t *hooks = &cw_progress_hooks;
    if (port == &cw_port_default && (config.notifications = hooks->notifications()) > 0) {
        config.notified = hooks->notified;
        config.due = hooks->notification_due;
    }
    // The exchange goes on while this PE loads; the node server's thread loads for its process.
    int rc = cw_world.hosts_server ? CW_OK : cw_job_load_transport(CW_FABRIC_ON_DEMAND);
    if (rc == CW_OK)
        rc = cw_job_need_exchange();
    if (rc)
        return rc;
    uint64_t start = cwu_now_ns();
    memcpy(config.secret, cw_job_secret(), sizeof config.secret);
    cwt_client_t *client = NULL;
    rc = cw_transport->open(&config, &client);
    if (rc == CW_OK)
        // pairs with advance and poll_default (core/rma/context.c), without a lock
        __atomic_store_n(&port->client, client, __ATOMIC_RELEASE);
    cw_startup_add(CW_PHASE_ENDPOINT, start);
    return rc;
}

static void open_port(cw_port_t *port)
{
    size_t nnodes = (size_t)cw_world.nnodes;
    port->conn = calloc(nnodes, sizeof(cwt_conn_t *));
    port->paths = calloc(nnodes, sizeof(cw_path_t *));
    int rc = port->conn && port->paths ? open_client(port) : CW_ENOMEM;
    if (rc)
        cwu_fatal("cannot open the network for the first transfer to another node (%s)",
                  cwu_error_name(rc));
    cw_port_opened(port);
    if (port == &cw_port_default) {
        cw_port_held(&cw_port_default);
        cw_bundles_open();
        cw_path_room(&cw_ctx_default);
    }
}

cwt_conn_t *cw_ctx_conn(cw_ctx_t *ctx, int node)
{
    cw_port_t *port = ctx->port;
    if (!port->client)
        open_port(port);
    if (CW_LIKELY(port->conn[node] != NULL))
        return port->conn[node];
    uint64_t start = cwu_now_ns();
    cw_node_record_t record;
    int rc = cw_job_node_record(node, &record);
    if (rc == CW_OK)
        rc = cw_transport->connect(port->client, node, record.address, record.address_nbytes,
                                   &port->conn[node]);
    if (cw_startup_ns(CW_PHASE_FIRST_CONNECTION) == 0)
        cw_startup_add(CW_PHASE_FIRST_CONNECTION, start);
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("cannot connect to %s of PE %d (%s)", cw_job_node_name(node),
                  cw_world.leader_of_node[node], cwu_error_name(rc));
    }
    cwu_debug("connected to %s", cw_job_node_name(node));
    return port->conn[node];
}

/** Its direct record is filled in. */
static cw_path_t *path_of(cw_ctx_t *ctx, int pe)
{
    int node = cw_world.node_of_pe[pe], slot = cw_world.slot_of_pe[pe];
    cwt_conn_t *conn = cw_ctx_conn(ctx, node);
    cw_path_t **paths = ctx->port->paths;
    if (!paths[node]) {
        size_t nbytes = (size_t)cw_world.slots_of_node[node] * sizeof(cw_path_t);
        cw_path_t *blank = aligned_alloc(_Alignof(cw_path_t), nbytes);
        if (!blank)
            cwu_fatal("out of memory for the records of %s", cw_job_node_name(node));
        memset(blank, 0, nbytes);
        blank->first = (cw_way_t){
            .conn = conn,
            .node = node,
            .queue = {.most = cw_bundle_most(conn)},
        };
        paths[node] = blank;
    }
    cw_path_t *path = &paths[node][slot];
    cwt_target_t *t = &path->direct;
    if (t->conn)
        return path;
    uint64_t delta = cw_slice_offset((uint32_t)slot) - cw_segment.origin;
    int rc = cw_transport->target(conn, (uint32_t)slot, delta, t);
    if (rc)
        cwu_fatal("cannot address PE %d on %s (%s)", pe, cw_job_node_name(node),
                  cwu_error_name(rc));
    t->conn = conn;
    t->offset = delta;
    path->way = &paths[node]->first;
    return path;
}

void cw_target_of_owner(int pe, uintptr_t origin, uintptr_t *word, cw_owner_target_t *target)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    int slot = cw_world.slot_of_pe[pe];
    cwt_target_t *t = &target->direct;
    cw_ctx_enter(ctx);
    target->path = path_of(ctx, pe);
    target->word = word;
    cwt_conn_t *conn = target->path->direct.conn;
    t->offset = cw_slice_offset((uint32_t)slot) - origin;
    int rc = cw_transport->target(conn, (uint32_t)slot, t->offset, t);
    if (rc)
        cwu_fatal("cannot address PE %d on %s (%s)", pe, cw_job_node_name(cw_world.node_of_pe[pe]),
                  cwu_error_name(rc));
    t->conn = conn;
    cw_owner_target_init(target);
    cw_ctx_leave(ctx);
}

void cw_release_chunks(int pe, uint64_t chunks)
{
    const cwt_layout_t *l = &cw_segment.layout;
    cw_ctx_t *ctx = &cw_ctx_default;
    int node = cw_world.node_of_pe[pe];
    cw_ctx_enter(ctx);
    cwt_conn_t *conn = ctx->port->client ? ctx->port->conn[node] : NULL;
    cw_ctx_leave(ctx);
    if (!conn || chunks == 0)
        return;
    uint64_t at = cw_slice_offset((uint32_t)cw_world.slot_of_pe[pe]) + l->heap_offset;
    int rc = cw_transport->release(conn, at + ((chunks >> 32) << l->chunk_shift),
                                   (chunks & UINT32_MAX) << l->chunk_shift);
    if (rc)
        cwu_fatal("%s cannot take back freed memory (%s)", cw_job_node_name(node),
                  cwu_error_name(rc));
}

cwt_target_t *cw_ctx_connect(cw_ctx_t *ctx, int rank)
{
    int pe = cw_ctx_pe(ctx, rank);
    cw_ctx_enter(ctx);
    cw_path_t *path = path_of(ctx, pe);
    cw_path_own(path, ctx, rank);
    uintptr_t word = (uintptr_t)&path->direct + 1;
    if (cw_world.node_of_pe[pe] != cw_world.node && ctx->word[rank] != word)
        cw_words_set(ctx, rank, word);
    cw_ctx_leave(ctx);
    return &path->direct;
}

bool cw_is_connected(int pe)
{
    uintptr_t word = cw_entry(&cw_ctx_default.word, pe);
    return (word & 1) && cw_warm_target(word);
}

void cw_ctx_connect_all(void)
{
    uint64_t start = cwu_now_ns();
    // more would evict the first ones
    long room = cwu_env.max_connections > 0 ? cwu_env.max_connections : cw_world.nnodes;
    for (int pe = 0; pe < cw_world.npes; pe++) {
        int node = cw_world.node_of_pe[pe];
        bool known = cw_port_default.conn && cw_port_default.conn[node];
        if (node == cw_world.node || (!known && room == 0))
            continue;
        room -= !known;
        cw_ctx_connect(&cw_ctx_default, pe);
    }
    cw_startup_add(CW_PHASE_STATIC_CONNECT, start);
}

void cw_node_put(int node, uint64_t control_offset, const void *src, size_t nbytes)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    cw_ctx_enter(ctx);
    cwt_conn_t *conn = cw_ctx_conn(ctx, node);
    // A transport may let two puts pass one another, and these go to the same words again.
    int rc = cw_transport->fence(ctx->port->client);
    if (rc == 0)
        rc = cw_transport->put(conn, control_offset, src, nbytes, false);
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("cannot reach %s (%s)", cw_job_node_name(node), cwu_error_name(rc));
    }
    cw_ctx_leave(ctx);
}

void cw_node_read(int node, uint64_t control_offset, void *dest, size_t nbytes)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    if (node == cw_world.node) {
        const char *src = cw_segment.base + control_offset;
        if (nbytes == sizeof(uint64_t))
            *(uint64_t *)dest =
                __atomic_load_n((const uint64_t *)(const void *)src, __ATOMIC_ACQUIRE);
        else
            memcpy(dest, src, nbytes);
        return;
    }
    cw_ctx_enter(ctx);
    int rc = cw_transport->get(cw_ctx_conn(ctx, node), control_offset, dest, nbytes, false);
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("cannot read from %s (%s)", cw_job_node_name(node), cwu_error_name(rc));
    }
    cw_ctx_leave(ctx);
}
