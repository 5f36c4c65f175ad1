// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts, and first contact: from "PE 17" to a connection and a target record.
#include "core/ctx.h"

#include <stdlib.h>

#include "core/job.h"
#include "core/node.h"
#include "core/segment.h"

cw_ctx_t cw_ctx_default = {.lock = PTHREAD_MUTEX_INITIALIZER};

uintptr_t *cw_words_create(int npes)
{
    size_t n = (size_t)npes + 2 * CW_GUARD_WORDS;
    uintptr_t *all = malloc(n * sizeof *all);
    if (!all)
        return NULL;
    for (size_t i = 0; i < n; i++)
        all[i] = CW_COLD_WORD;
    return all + CW_GUARD_WORDS;
}

void cw_words_destroy(uintptr_t *words)
{
    if (words)
        free(words - CW_GUARD_WORDS);
}

int cw_ctx_init(cw_ctx_t *ctx)
{
    int npes = cw_world.npes;
    ctx->word = cw_words_create(npes);
    ctx->conn = calloc((size_t)cw_world.nnodes, sizeof *ctx->conn);
    ctx->targets = calloc((size_t)cw_world.nnodes, sizeof *ctx->targets);
    if (!ctx->word || !ctx->conn || !ctx->targets) {
        cwu_error("out of memory for the peer table of %d PEs", npes);
        return CW_ENOMEM;
    }
    uintptr_t base = (uintptr_t)cw_segment.base;
    for (int pe = 0; pe < npes; pe++) {
        if (cw_world.node_of_pe[pe] == cw_world.node)
            ctx->word[pe] = base + cw_slice_offset((uint32_t)cw_world.slot_of_pe[pe]) - cw_segment.origin;
    }
    ctx->word[cw_world.pe] = 0;
    return CW_OK;
}

void cw_ctx_fini(cw_ctx_t *ctx)
{
    if (ctx->client)
        cw_transport->close(ctx->client);
    for (int node = 0; ctx->targets && node < cw_world.nnodes; node++)
        free(ctx->targets[node]);
    free(ctx->targets);
    free(ctx->conn);
    cw_words_destroy(ctx->word);
    ctx->client = NULL;
    ctx->targets = NULL;
    ctx->conn = NULL;
    ctx->word = NULL;
}

void cw_ctx_progress(cw_ctx_t *ctx)
{
    if (!ctx->client)
        return;
    cw_ctx_enter(ctx);
    cw_transport->progress(ctx->client);
    cw_ctx_leave(ctx);
}

static void idle(void *arg)
{
    (void)arg;
    cw_server_poll();
}

static void open_client(cw_ctx_t *ctx)
{
    cwt_client_config_t config = {.pe = cw_world.pe,
                                  .npes = cw_world.npes,
                                  .node = cw_world.node,
                                  .layout = cw_segment.layout,
                                  .thread_multiple = cw_world.thread_multiple,
                                  .one_machine = cw_boot.one_machine,
                                  .idle = idle,
                                  .node_name = cw_job_node_name};
    int rc = cw_job_fence_and_secret(config.secret);
    if (rc == CW_OK)
        rc = cw_transport->load(config.one_machine);
    if (rc == CW_OK)
        rc = cw_transport->open(&config, &ctx->client);
    if (rc)
        cwu_fatal("cannot open the network for the first transfer to another node (%s)", cwu_error_name(rc));
}

cwt_conn_t *cw_ctx_conn(cw_ctx_t *ctx, int node)
{
    if (CW_LIKELY(ctx->conn[node] != NULL))
        return ctx->conn[node];
    if (!ctx->client)
        open_client(ctx);
    cw_node_record_t record;
    int rc = cw_job_node_record(node, &record);
    if (rc == CW_OK)
        rc = cw_transport->connect(ctx->client, node, record.address, record.address_nbytes, &ctx->conn[node]);
    if (rc)
        cwu_fatal("cannot connect to %s of PE %d (%s)", cw_job_node_name(node), cw_world.leader_of_node[node],
                  cwu_error_name(rc));
    return ctx->conn[node];
}

static int slots_of(int node)
{
    int n = 0;
    for (int pe = 0; pe < cw_world.npes; pe++)
        n += cw_world.node_of_pe[pe] == node;
    return n;
}

/** In THREAD_MULTIPLE the target's inject is this: the same put under the context's lock, ep = the target. */
static ssize_t locked_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr, uint64_t addr,
                             uint64_t key)
{
    cwt_target_t *t = ep;
    (void)fabric_addr, (void)key;
    cw_ctx_enter(&cw_ctx_default);
    cw_ctx_mark(&cw_ctx_default, t);
    cw_must(cw_transport->put(t->conn, addr - t->base + t->offset, buf, nbytes, false), "put", -1);
    cw_ctx_leave(&cw_ctx_default);
    return 0;
}

cwt_target_t *cw_ctx_connect(cw_ctx_t *ctx, int pe)
{
    int node = cw_world.node_of_pe[pe], slot = cw_world.slot_of_pe[pe];
    cwt_conn_t *conn = cw_ctx_conn(ctx, node);
    if (!ctx->targets[node]) {
        size_t nbytes = (size_t)slots_of(node) * sizeof(cwt_target_t);
        ctx->targets[node] = aligned_alloc(64, nbytes);
        if (!ctx->targets[node])
            cwu_fatal("out of memory for the records of %s", cw_job_node_name(node));
        memset(ctx->targets[node], 0, nbytes);
    }
    cwt_target_t *t = &ctx->targets[node][slot];
    if (t->conn)
        return t;
    uint64_t delta = cw_slice_offset((uint32_t)slot) - cw_segment.origin;
    int rc = cw_transport->target(conn, (uint32_t)slot, delta, t);
    if (rc)
        cwu_fatal("cannot address PE %d on %s (%s)", pe, cw_job_node_name(node), cwu_error_name(rc));
    t->conn = conn;
    t->offset = delta;
    if (cw_world.thread_multiple) {
        t->inject = locked_inject;
        t->ep = t;
    }
    if (node != cw_world.node)
        ctx->word[pe] = (uintptr_t)t + 1;
    return t;
}

void cw_node_put(int node, uint64_t control_offset, const void *src, size_t nbytes)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    cw_ctx_enter(ctx);
    cwt_conn_t *conn = cw_ctx_conn(ctx, node);
    // Without a fence a transport may let two puts pass one another, and these go to the same words again and again.
    int rc = cw_transport->fence(ctx->client);
    if (rc == 0)
        rc = cw_transport->put(conn, control_offset, src, nbytes, false);
    if (rc)
        cwu_fatal("cannot reach %s (%s)", cw_job_node_name(node), cwu_error_name(rc));
    cw_ctx_leave(ctx);
}
