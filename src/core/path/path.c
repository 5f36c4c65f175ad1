// SPDX-License-Identifier: BSD-3-Clause
//
// Which of a path's records puts find.
#include "core/path/path.h"

#include "core/path/bundle.h"

#define STREAM (CW_COLLECT_GROUP / 2)  // direct puts between looks for a flood

static void choose(cw_path_t *path, const cwt_target_t *record)
{
    cw_words_set(path->ctx, path->rank, (uintptr_t)record + 1);
}

static int32_t full_room(const cw_ctx_t *ctx)
{
    return cw_bundles_take(&cw_bundles.puts) && ctx == &cw_ctx_default ? STREAM : CW_INJECT_ROOM;
}

void cw_path_room(cw_ctx_t *ctx)
{
    __atomic_store_n(&ctx->room, full_room(ctx), __ATOMIC_RELAXED);
}

/** Single, unless another came before. */
static bool put_alone(cw_path_t *path, const void *buf, size_t nbytes, uint64_t offset)
{
    cw_ctx_t *ctx = path->ctx;
    if (__atomic_load_n(&ctx->room, __ATOMIC_RELAXED) == full_room(ctx)) {
        cw_ctx_must(cw_transport->put(path->direct.conn, offset, buf, nbytes, false), "put", ctx,
                    path->rank);
        return true;
    }
    cw_ctx_enter(ctx);
    choose(path, &path->direct);
    cw_ctx_leave(ctx);
    return false;
}

static ssize_t put_intercepted(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                               uint64_t offset, uint64_t key)
{
    cw_path_t *path = ep;
    // the scalar put found the record by the word alone; pairs with cw_path_own
    (void)__atomic_load_n(&path->ctx, __ATOMIC_ACQUIRE);
    const void *dest = (void *)(uintptr_t)(offset - path->direct.offset);
    (void)fabric_addr, (void)key;
    if (__atomic_load_n(&path->collects, __ATOMIC_RELAXED) && cw_bundles_take(&cw_bundles.puts)
            ? cw_bundle_collect(path, dest, CW_BATCH_PUT, buf, nbytes)
            : put_alone(path, buf, nbytes, offset))
        return 0;
    return cw_inject((uintptr_t)&path->direct + 1, (void *)(uintptr_t)dest, buf, nbytes);
}

void cw_path_own(cw_path_t *path, cw_ctx_t *ctx, int rank)
{
    const cwt_target_t *direct = &path->direct;
    if ((ctx->port == &cw_port_default && ctx != &cw_ctx_default) ||
        (path->ctx == ctx && path->rank == rank && path->intercepted.conn == direct->conn))
        return;
    path->rank = rank;
    path->intercepted = (cwt_target_t){.inject = put_intercepted,
                                       .ep = path,
                                       .base = direct->offset,
                                       .conn = direct->conn,
                                       .offset = direct->offset};
    __atomic_store_n(&path->ctx, ctx, __ATOMIC_RELEASE);  // pairs with put_intercepted
}

bool cw_path_intercepts(const cwt_target_t *record)
{
    return record->inject == put_intercepted;
}

/** NULL: a record of another kind. */
static cw_path_t *path_of(const cw_port_t *port, uintptr_t word)
{
    for (int node = 0; port->paths && node < cw_world.nnodes; node++) {
        cw_path_t *first = port->paths[node];
        uintptr_t at = word - 1 - (uintptr_t)first;
        if (first && at < (size_t)cw_world.slots_of_node[node] * sizeof *first)
            return &first[at / sizeof *first];
    }
    return NULL;
}

/** Of the last scalar put; its word is the mark, or the cold path left it. */
static cw_path_t *last_path(cw_ctx_t *ctx, uintptr_t last, uintptr_t cold)
{
    cw_path_t *path = path_of(ctx->port, last);
    if (!path && cold)
        path = path_of(ctx->port, cold);
    return path && path->ctx == ctx ? path : NULL;
}

/** Was the put that left this mark intercepted? */
static bool went_intercepted(uintptr_t last)
{
    return last > CW_CTX_EMPTYING && cw_path_intercepts(cw_word_target(last));
}

/** No flood seems to follow: puts go direct again. Lock held. */
static void scatter(const cw_ctx_t *ctx)
{
    cw_port_t *port = ctx->port;
    for (int node = 0; port->paths && node < cw_world.nnodes; node++) {
        for (int slot = 0; port->paths[node] && slot < cw_world.slots_of_node[node]; slot++) {
            cw_path_t *path = &port->paths[node][slot];
            if (path->ctx != ctx || !path->collects)
                continue;
            __atomic_store_n(&path->collects, false, __ATOMIC_RELAXED);
            choose(path, &path->direct);
        }
    }
    cw_port_settle(port, CW_DUE_PATHS);
}

void cw_path_quiet(cw_ctx_t *ctx, uintptr_t last, unsigned due)
{
    cw_port_t *port = ctx->port;
    uintptr_t cold = __atomic_load_n(&port->last_put, __ATOMIC_RELAXED);
    int32_t full = full_room(ctx), room = __atomic_exchange_n(&ctx->room, full, __ATOMIC_RELAXED);
    bool alone = room == full - 1 && port->streamed == 0, collected = due & CW_DUE_PATHS;
    if (port == &cw_port_default) {
        cw_port_held(&cw_port_default);
        // a pause of all counted operations
        __atomic_store_n(&cw_ctx_default.direct, cw_bundles.collect.at_once, __ATOMIC_RELAXED);
        if (collected && !cw_bundles_flooded())
            scatter(ctx);
    }
    __atomic_store_n(&port->last_put, 0, __ATOMIC_RELAXED);
    port->streamed = port->injected = 0;
    if (!alone || (!collected && went_intercepted(last)))
        return;
    cw_path_t *path = last_path(ctx, last, cold);
    if (!path)
        return;
    __atomic_store_n(&path->collects, false, __ATOMIC_RELAXED);
    choose(path, &path->intercepted);
}

static void collect(cw_path_t *path)
{
    cw_port_t *port = path->ctx->port;
    int node = path->way->node;
    cw_port_owe(port, CW_DUE_PATHS);
    for (int slot = 0; slot < cw_world.slots_of_node[node]; slot++) {
        cw_path_t *p = &port->paths[node][slot];
        if (p->ctx != path->ctx)
            continue;
        __atomic_store_n(&p->collects, true, __ATOMIC_RELAXED);
        choose(p, &p->intercepted);
    }
}

/** The room is used up. True: a flood. */
static bool stream_of_direct(cw_port_t *port)
{
    cw_port_held(&cw_port_default);
    port->injected += STREAM;
    return cw_collect_stream(&cw_bundles.collect, &port->stream_pauses);
}

/** The room is used up. True: no more direct puts without a quiet. */
static bool stream(cw_ctx_t *ctx)
{
    cw_port_t *port = ctx->port;
    uintptr_t last = __atomic_load_n(&ctx->last, __ATOMIC_RELAXED);
    cw_path_t *path = last_path(ctx, last, __atomic_load_n(&port->last_put, __ATOMIC_RELAXED));
    port->streamed += STREAM;
    if (!path || (path->collects && last != (uintptr_t)&path->direct + 1))
        return false;
    if (stream_of_direct(port))
        collect(path);
    return port->injected >= CW_INJECT_ROOM;
}

bool cw_path_is_full(cw_ctx_t *ctx)
{
    if (full_room(ctx) != STREAM)
        return true;
    cw_ctx_enter(ctx);
    cw_path_room(ctx);
    bool full = stream(ctx);
    cw_ctx_leave(ctx);
    return full;
}

// ---------------------------------------------------------------- records of owners
/** `at`: in the target's node object. */
static ssize_t put_to_owner(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                            uint64_t at, uint64_t key)
{
    cw_owner_target_t *target = ep;
    const void *dest = (void *)(uintptr_t)(at - target->path->direct.offset);
    (void)fabric_addr, (void)key;
    bool collects = cw_bundles_take(&cw_bundles.puts);
    if (collects && cw_bundle_collect(target->path, dest, CW_BATCH_PUT, buf, nbytes)) {
        __atomic_store_n(&target->straight, 0, __ATOMIC_RELAXED);
        return 0;
    }
    uint32_t straight = __atomic_load_n(&target->straight, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&target->straight, straight, __ATOMIC_RELAXED);
    uintptr_t direct = (uintptr_t)&target->direct + 1;
    if (!collects || straight >= CW_COLLECT_GROUP)
        __atomic_store_n(target->word, direct, __ATOMIC_RELEASE);
    return cw_inject(direct, (void *)(uintptr_t)(at - target->direct.offset), buf, nbytes);
}

void cw_owner_target_init(cw_owner_target_t *target)
{
    target->intercepted = (cwt_target_t){.inject = put_to_owner,
                                         .ep = target,
                                         .base = target->direct.offset,
                                         .conn = target->direct.conn,
                                         .offset = target->direct.offset};
}

bool cw_owner_target_is_full(uintptr_t word)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    cw_port_t *port = ctx->port;
    bool reached = cw_word_target(word)->conn;  // else the record is no owner target's
    if (!reached || full_room(ctx) != STREAM)
        return true;
    cw_owner_target_t *target = cw_owner_target_of(cw_word_target(word));
    cw_ctx_enter(ctx);
    cw_path_room(ctx);
    port->streamed += STREAM;
    if (word == (uintptr_t)&target->direct + 1 && stream_of_direct(port)) {
        __atomic_store_n(&target->straight, 0, __ATOMIC_RELAXED);
        // pairs with the loads of the word
        __atomic_store_n(target->word, (uintptr_t)&target->intercepted + 1, __ATOMIC_RELEASE);
    }
    bool full = port->injected >= CW_INJECT_ROOM;
    cw_ctx_leave(ctx);
    return full;
}
