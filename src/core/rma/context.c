// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts: created, destroyed, advanced.
#include "core/rma/context.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "core/mem/gather.h"
#include "core/mem/memory.h"
#include "core/mem/segment.h"
#include "core/observe/check.h"
#include "core/path/bundle.h"
#include "core/port/ctx.h"
#include "core/progress/hooks.h"
#include "core/rma/batch.h"
#include "core/rma/rma.h"
#include "core/rma/routed.h"
#include "core/world/front_end.h"

static struct {
    pthread_mutex_t lock;  // guards this; taken before a port's
    cw_ctx_t *all;         // alive, but the default one
    cw_ctx_t *destroyed;   // kept: late uses of a handle find cold words
    _Atomic int alive;
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void register_hooks(void);

int cw_ctx_open(void)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    register_hooks();
    ctx->start = 0;
    ctx->stride = 1;
    ctx->size = cw_world.npes;
    int rc = cw_words_open();
    if (rc)
        return rc;
    atomic_store_explicit(&cw_world.gathered, false, memory_order_relaxed);
    ctx->node = &cw_segment.control->hot;
    ctx->room = CW_INJECT_ROOM;
    ctx->direct = INT32_MAX;
    cw_port_default.locked = cw_world.thread_multiple;
    return CW_OK;
}

// ---------------------------------------------------------------- creation, destruction

/** Its own port while there are any, else the default one's. The limit on connections is the
 *  process's, but a client evicts only its own. */
static cw_port_t *give_port(const cw_ctx_t *ctx)
{
    if (cw_world.nnodes == 1 || cwu_env.max_connections > 0 || cw_transport->one_client())
        return &cw_port_default;
    cw_port_t *port = cw_port_take(cw_world.thread_multiple && !(ctx->options & CW_CTX_PRIVATE));
    if (port && cw_routed_is_on())
        cw_port_owe(port, CW_DUE_ROUTED);
    return port ? port : &cw_port_default;
}

static cw_ctx_t *blank_context(void)
{
    cw_ctx_t *ctx = contexts.destroyed;
    if (ctx && !cw_world.check)  // checking mode never reuses handles
        contexts.destroyed = ctx->next;
    else
        ctx = aligned_alloc(_Alignof(cw_ctx_t), sizeof *ctx);
    return ctx;
}

static void retire(cw_ctx_t *ctx)
{
    *ctx = (cw_ctx_t){
        .node = &cw_node_none, .port = &cw_port_default, .stride = 1, .next = contexts.destroyed};
    contexts.destroyed = ctx;
}

static void report_leaks(void);

int cw_ctx_create(const cw_ctx_config_t *config, cw_ctx_t **ctx_p)
{
    if (config->options & ~(unsigned)(CW_CTX_SERIALIZED | CW_CTX_PRIVATE | CW_CTX_NOSTORE))
        return CW_EINVAL;
    cw_gather();  // for the table of this node's PEs
    pthread_mutex_lock(&contexts.lock);
    cw_ctx_t *ctx = blank_context();
    int rc = ctx ? CW_OK : CW_ENOMEM;
    if (rc == CW_OK) {
        *ctx = (cw_ctx_t){.node = cw_hot.node,
                          .listed = config->pes != NULL,
                          .size = config->size,
                          .team = config->team,
                          .options = (uint8_t)config->options,
                          .room = CW_INJECT_ROOM,
                          .direct = INT32_MAX,
                          .thread = (uintptr_t)pthread_self()};
        if (ctx->listed) {
            ctx->pes = config->pes;
        } else {
            ctx->start = config->start;
            ctx->stride = config->size > 1 ? config->stride : 1;
        }
        ctx->rearms = (ctx->options & CW_CTX_NOSTORE) &&
                      (!cw_world.thread_multiple || ctx->options != CW_CTX_NOSTORE);
        if ((rc = cw_words_give(ctx)) != CW_OK)
            retire(ctx);
    }
    if (rc == CW_OK) {
        ctx->port = give_port(ctx);
        cw_ctx_rearm(ctx);
        ctx->next = contexts.all;
        if (ctx->next)
            ctx->next->prev = ctx;
        contexts.all = ctx;
        contexts.alive++;
        *ctx_p = ctx;
    }
    pthread_mutex_unlock(&contexts.lock);
    if (CW_CHECKING())
        cw_check_at_end(report_leaks);
    return rc;
}

int cw_ctx_go_cold(void)
{
    pthread_mutex_lock(&contexts.lock);
    int rc = cw_words_need_cold();
    cw_world.foreign = rc == CW_OK;
    if (rc == CW_OK)
        cw_words_choose(&cw_ctx_default);
    for (cw_ctx_t *ctx = contexts.all; rc == CW_OK && ctx; ctx = ctx->next)
        cw_words_choose(ctx);
    pthread_mutex_unlock(&contexts.lock);
    return rc;
}

/** Registry locked, the context quiet. */
static void take_apart(cw_ctx_t *ctx)
{
    if (ctx->prev)
        ctx->prev->next = ctx->next;
    else
        contexts.all = ctx->next;
    if (ctx->next)
        ctx->next->prev = ctx->prev;
    contexts.alive--;
    if (ctx->port != &cw_port_default)
        cw_port_give(ctx->port);
    cw_batch_destroy(ctx->batch);
    cw_words_take(ctx);
    retire(ctx);
}

void cw_ctx_destroy(cw_ctx_t *ctx)
{
    cw_quiet(ctx);
    pthread_mutex_lock(&contexts.lock);
    take_apart(ctx);
    pthread_mutex_unlock(&contexts.lock);
}

static void destroy_where(const void *team, bool every)
{
    pthread_mutex_lock(&contexts.lock);
    for (cw_ctx_t *ctx = contexts.all, *next; ctx; ctx = next) {
        next = ctx->next;
        if (every || ctx->team == team) {
            cw_quiet(ctx);
            take_apart(ctx);
        }
    }
    pthread_mutex_unlock(&contexts.lock);
}

void cw_ctx_destroy_of(const void *team)
{
    destroy_where(team, false);
}

void cw_ctx_destroy_all(void)
{
    destroy_where(NULL, true);
    while (cw_port_close_spare())
        ;
}

bool cw_ctx_is_alive(const cw_ctx_t *ctx)
{
    bool found = ctx == &cw_ctx_default;
    pthread_mutex_lock(&contexts.lock);
    for (const cw_ctx_t *c = contexts.all; c && !found; c = c->next)
        found = c == ctx;
    pthread_mutex_unlock(&contexts.lock);
    return found;
}

int cw_ctx_count_alive(void)
{
    return atomic_load_explicit(&contexts.alive, memory_order_relaxed);
}

void cw_ctx_shut(void)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    cw_batch_destroy(ctx->batch);
    cw_words_shut();
    *ctx = (cw_ctx_t){.node = &cw_node_none, .port = &cw_port_default, .stride = 1};
    cw_bundles_close();
    cw_port_close(&cw_port_default);
    atomic_store_explicit(&cw_world.gathered, true, memory_order_relaxed);
}

// ---------------------------------------------------------------- progress of what is in flight

/** True: it has a client. */
static bool advance(cw_ctx_t *ctx)
{
    cw_port_t *port = ctx->port;
    cw_batch_try_send(ctx);
    // pairs with open_client
    cwt_client_t *client = __atomic_load_n(&port->client, __ATOMIC_ACQUIRE);
    if (client && (port != &cw_port_default || ctx == &cw_ctx_default)) {
        int rc = cw_transport->progress(client);
        if (CW_UNLIKELY(rc))
            cw_lost(rc);
    }
    return client != NULL;
}

static int poll_default(void)
{
    // pairs with open_client
    cwt_client_t *client = __atomic_load_n(&cw_port_default.client, __ATOMIC_ACQUIRE);
    return client ? cw_transport->poll(client) : 0;
}

static bool advance_all(void)
{
    bool connects = advance(&cw_ctx_default);
    if (cw_ctx_count_alive() == 0)
        return connects;
    if (pthread_mutex_trylock(&contexts.lock))
        return true;
    for (cw_ctx_t *ctx = contexts.all; ctx; ctx = ctx->next) {
        bool mine = !(ctx->options & CW_CTX_PRIVATE) || !cw_world.thread_multiple ||
                    ctx->thread == (uintptr_t)pthread_self();
        if (cw_ctx_is_marked(ctx) && mine)
            advance(ctx);
    }
    pthread_mutex_unlock(&contexts.lock);
    return true;
}

static bool in_flight(void)
{
    return cw_ctx_is_marked(&cw_hot) || (cw_world.nnodes > 1 && cw_ctx_count_alive() != 0);
}

static void register_hooks(void)
{
    cw_cold_put = cw_put_scalar_cold;
    cw_progress_hooks.poll_replies = poll_default;
    cw_progress_hooks.in_flight = in_flight;
    cw_progress_hooks.pause = cw_bundles_try_send;
    cw_progress_hooks.advance = advance_all;
}

static void report_leaks(void)
{
    pthread_mutex_lock(&contexts.lock);
    for (const cw_ctx_t *ctx = contexts.all; ctx; ctx = ctx->next)
        cw_check_leak("context", "a %scontext of a team of %d PEs was not destroyed; %s it",
                      ctx->options & CW_CTX_PRIVATE ? "private " : "", ctx->size,
                      cw_names()->ctx_destroy);
    pthread_mutex_unlock(&contexts.lock);
}

void *cw_ptr(const void *symmetric, int pe)
{
    if (pe < 0 || pe >= cw_world.npes || !cw_is_symmetric(symmetric, 1))
        return NULL;
    if (cw_world.node_of_pe[pe] == cw_world.node)
        cw_gather();
    uintptr_t word = cw_ctx_default.word[pe];
    return word & 1 ? NULL : cw_local_address(word, symmetric);
}
