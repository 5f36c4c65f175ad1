// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts: their tables, their life. How they leave the node is in core/rma/port.c.
//
// Tables. The default context has one of its own. All others begin with a shared one, `local`,
// which knows the PEs of this node and is cold for the rest: a team of consecutive PEs is a piece
// of it, other teams get a copy in their own order. The first connection gives a context a table of
// its own (cw_ctx_own_words). Shared tables stay until the end: other threads may be reading them.
#include "core/rma/ctx.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "core/mem/gather.h"
#include "core/mem/memory.h"
#include "core/mem/segment.h"
#include "core/observe/check.h"
#include "core/progress/hooks.h"
#include "core/rma/batch.h"
#include "core/rma/rma.h"

// PEs for which a call before init or after finalize still finds a cold word
#define OUTSIDE_WORDS 256
#define OUTSIDE_BELOW 16   // of them for negative PEs

#define COLD4(word) word, word, word, word
#define COLD16(word) COLD4(word), COLD4(word), COLD4(word), COLD4(word)
#define COLD64(word) COLD16(word), COLD16(word), COLD16(word), COLD16(word)
#define COLD256(word) COLD64(word), COLD64(word), COLD64(word), COLD64(word)
static const uintptr_t outside_words[OUTSIDE_WORDS] = {COLD256(CW_COLD_WORD)};
static const uintptr_t none_words[OUTSIDE_WORDS] = {COLD256(CW_CTX_COLD_WORD)};
static const uintptr_t *const outside = outside_words + OUTSIDE_BELOW, *const none = none_words +
                                                                                     OUTSIDE_BELOW;
static cw_node_hot_t nobody;
cw_node_hot_t cw_ctx_unstored = {.sleepers = 1};

cw_ctx_t cw_ctx_default = {.peer = outside_words + OUTSIDE_BELOW,
                           .amo_peer = outside_words + OUTSIDE_BELOW,
                           .word = outside_words + OUTSIDE_BELOW,
                           .node = &nobody,
                           .port = &cw_port_default,
                           .stride = 1};

cw_ctx_t cw_ctx_none = {.peer = none_words + OUTSIDE_BELOW,
                        .amo_peer = none_words + OUTSIDE_BELOW,
                        .word = none_words + OUTSIDE_BELOW,
                        .node = &nobody,
                        .port = &cw_port_default,
                        .stride = 1};

static struct {
    pthread_mutex_t lock;  // guards all of this; taken before a port's
    cw_ctx_t *all;         // alive, without the default one
    cw_ctx_t *destroyed;   // kept: a handle used too late finds words that say so
    int own_ports;
    uintptr_t *local;         // see above
    uintptr_t *cold;          // [npes] all cold: destroyed contexts, somebody looks on, atomics
                              // through the NIC
    uintptr_t *cold_default;  // the same for the default context
    _Atomic int alive;
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

uintptr_t *cw_words_create(int npes, uintptr_t word)
{
    size_t n = (size_t)npes + 2 * CW_GUARD_WORDS;
    uintptr_t *all = malloc(n * sizeof *all);
    if (!all)
        return NULL;
    for (size_t i = 0; i < n; i++)
        all[i] = word;
    return all + CW_GUARD_WORDS;
}

void cw_words_destroy(uintptr_t *words)
{
    if (words)
        free(words - CW_GUARD_WORDS);
}

static uintptr_t word_of_slot(int slot)
{
    return (uintptr_t)cw_segment.base + cw_slice_offset((uint32_t)slot) - cw_segment.origin;
}

void cw_words_local(uintptr_t *words, const cw_ctx_t *ctx)
{
    for (int rank = 0; rank < ctx->size; rank++) {
        int pe = cw_ctx_pe(ctx, rank);
        if (cw_world.node_of_pe[pe] == cw_world.node)
            words[rank] = pe == cw_world.pe ? 0 : word_of_slot(cw_world.slot_of_pe[pe]);
    }
}

/** A table of a world's size, made when first needed. NULL: no memory. */
static uintptr_t *shared_table(uintptr_t **table, uintptr_t word, bool local)
{
    if (!*table) {
        uintptr_t *words = cw_words_create(cw_world.npes, word);
        if (words && local)
            cw_words_local(words, &cw_ctx_default);
        __atomic_store_n(table, words, __ATOMIC_RELEASE);  // pairs with cw_ctx_point
    }
    return *table;
}

static void register_hooks(void);

int cw_ctx_open(void)
{
    register_hooks();
    cw_ctx_t *ctx = &cw_ctx_default;
    ctx->own = cw_words_create(cw_world.npes, CW_COLD_WORD);
    bool watched = cw_world.watched, nic = cw_world.nic_atomics;
    if (!ctx->own ||
        ((watched || nic) && !shared_table(&contexts.cold_default, CW_COLD_WORD, false))) {
        cwu_error("out of memory for the peer table of %d PEs", cw_world.npes);
        return CW_ENOMEM;
    }
    if (cw_world.npes > OUTSIDE_WORDS - OUTSIDE_BELOW &&
        shared_table(&contexts.cold, CW_CTX_COLD_WORD, false))
        cw_ctx_none.peer = cw_ctx_none.amo_peer = cw_ctx_none.word = contexts.cold;
    ctx->start = 0;
    ctx->stride = 1;
    ctx->size = cw_world.npes;
    ctx->own[cw_world.pe] = 0;  // the others of the node come later (core/mem/gather.h)
    atomic_store_explicit(&cw_world.gathered, false, memory_order_relaxed);
    ctx->word = ctx->own;
    ctx->peer = watched ? contexts.cold_default : ctx->own;
    ctx->amo_peer = watched || nic ? contexts.cold_default : ctx->own;
    ctx->node = &cw_segment.control->hot;
    ctx->room = CW_INJECT_ROOM;
    cw_port_default.locked = cw_world.thread_multiple;
    return CW_OK;
}

void cw_ctx_gathered(void)
{
    uintptr_t *words = cw_ctx_default.own;
    for (int slot = 0; slot < cw_world.nslots; slot++)
        if (slot != cw_world.slot)  // pairs with cw_peer_word
            __atomic_store_n(&words[cw_world.pes_of_node[slot]], word_of_slot(slot),
                             __ATOMIC_RELEASE);
}

// ---------------------------------------------------------------- life of a context

/** Consecutive PEs: their words are a window of the world's. */
static bool is_window(const cw_ctx_t *ctx)
{
    return !ctx->listed && ctx->stride == 1;
}

/** Points the context at its tables. Registry locked, or the context not yet known. CW_ENOMEM: not
 *  done. */
static int give_tables(cw_ctx_t *ctx)
{
    if (!shared_table(&contexts.local, CW_CTX_COLD_WORD, true) ||
        ((cw_world.watched || cw_world.nic_atomics) &&
         !shared_table(&contexts.cold, CW_CTX_COLD_WORD, false)))
        return CW_ENOMEM;
    if (is_window(ctx)) {
        ctx->base = contexts.local + ctx->start;
    } else {
        uintptr_t *words = cw_words_create(ctx->size, CW_CTX_COLD_WORD);
        if (!words)
            return CW_ENOMEM;
        cw_words_local(words, ctx);
        ctx->base = words;
    }
    ctx->word = ctx->base;
    ctx->peer = cw_world.watched ? contexts.cold : ctx->word;
    ctx->amo_peer = cw_world.watched || cw_world.nic_atomics ? contexts.cold : ctx->word;
    return CW_OK;
}

/** A port of its own while there are any left, else the default context's. */
static cw_port_t *give_port(const cw_ctx_t *ctx)
{
    if (cw_world.nnodes == 1 || contexts.own_ports >= cwu_env.ctx_endpoints ||
        cw_transport->one_client())
        return &cw_port_default;
    cw_port_t *port = cw_port_create(cw_world.thread_multiple && !(ctx->options & CW_CTX_PRIVATE));
    if (!port)
        return &cw_port_default;
    contexts.own_ports++;
    return port;
}

static cw_ctx_t *blank_context(void)
{
    cw_ctx_t *ctx = contexts.destroyed;
    if (ctx && !cw_world.check)  // in checking mode a handle is never anybody else's again
        contexts.destroyed = ctx->next;
    else
        ctx = aligned_alloc(_Alignof(cw_ctx_t), sizeof *ctx);
    return ctx;
}

static void retire(cw_ctx_t *ctx)
{
    const uintptr_t *cold = shared_table(&contexts.cold, CW_CTX_COLD_WORD, false);
    const uintptr_t *words = cold ? cold : none;
    *ctx = (cw_ctx_t){.peer = words,
                      .amo_peer = words,
                      .word = words,
                      .base = words,
                      .node = &nobody,
                      .port = &cw_port_default,
                      .stride = 1,
                      .next = contexts.destroyed};
    contexts.destroyed = ctx;
}

static void tell_leaks(void);

int cw_ctx_create(const cw_ctx_config_t *config, cw_ctx_t **ctx_p)
{
    if (config->options & ~(unsigned)(CW_CTX_SERIALIZED | CW_CTX_PRIVATE | CW_CTX_NOSTORE))
        return CW_EINVAL;
    cw_gather();  // only the default context's table is made before
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
                          .thread = (uintptr_t)pthread_self()};
        if (ctx->listed) {
            ctx->pes = config->pes;
        } else {
            ctx->start = config->start;
            ctx->stride = config->size > 1 ? config->stride : 1;
        }
        ctx->rearms = (ctx->options & CW_CTX_NOSTORE) &&
                      (!cw_world.thread_multiple || ctx->options != CW_CTX_NOSTORE);
        if ((rc = give_tables(ctx)) != CW_OK)
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
        cw_check_at_end(tell_leaks);
    return rc;
}

/** Takes the context off the list and back to nothing. Registry locked, the context quiet. */
static void take_apart(cw_ctx_t *ctx)
{
    if (ctx->prev)
        ctx->prev->next = ctx->next;
    else
        contexts.all = ctx->next;
    if (ctx->next)
        ctx->next->prev = ctx->prev;
    contexts.alive--;
    if (ctx->port != &cw_port_default) {
        cw_port_destroy(ctx->port);
        contexts.own_ports--;
    }
    cw_batch_destroy(ctx->batch);
    cw_words_destroy(ctx->own);
    if (!is_window(ctx))
        cw_words_destroy((uintptr_t *)(uintptr_t)ctx->base);
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
    uintptr_t *own = ctx->own, *base = (uintptr_t *)(uintptr_t)ctx->base;
    *ctx = (cw_ctx_t){.peer = outside,
                      .amo_peer = outside,
                      .word = outside,
                      .node = &nobody,
                      .port = &cw_port_default,
                      .stride = 1};
    for (cw_ctx_t *late = contexts.destroyed; late; late = late->next)
        late->peer = late->amo_peer = late->word = none;
    cw_ctx_none.peer = cw_ctx_none.amo_peer = cw_ctx_none.word = none;
    cw_port_close(&cw_port_default);
    cw_words_destroy(own);
    cw_words_destroy(base);
    cw_words_destroy(contexts.local);
    cw_words_destroy(contexts.cold);
    cw_words_destroy(contexts.cold_default);
    contexts.local = contexts.cold = contexts.cold_default = NULL;
    atomic_store_explicit(&cw_world.gathered, true, memory_order_relaxed);
}

// ---------------------------------------------------------------- tables that change

uintptr_t *cw_ctx_own_words(cw_ctx_t *ctx)
{
    if (ctx->own)
        return ctx->own;
    uintptr_t *words = cw_words_create(ctx->size, CW_CTX_COLD_WORD);
    if (!words)
        cwu_fatal("out of memory for a context's table of %d PEs", ctx->size);
    memcpy(words, ctx->word, (size_t)ctx->size * sizeof *words);
    ctx->own = words;
    // pairs with the dependent loads of cw_peer_word
    __atomic_store_n(&ctx->word, words, __ATOMIC_RELEASE);
    cw_ctx_point(ctx);
    return words;
}

void cw_ctx_point(cw_ctx_t *ctx)
{
    // Another thread's retire may make the table just now, if this context does not use it.
    const uintptr_t *cold = __atomic_load_n(
        ctx == &cw_ctx_default ? &contexts.cold_default : &contexts.cold, __ATOMIC_ACQUIRE);
    const uintptr_t *here = cw_batch_is_on(ctx) ? ctx->base : ctx->word;
    __atomic_store_n(&ctx->peer, cw_world.watched ? cold : here, __ATOMIC_RELEASE);
    __atomic_store_n(&ctx->amo_peer, cw_world.watched || cw_world.nic_atomics ? cold : here,
                     __ATOMIC_RELEASE);
}

int cw_ctx_need_base(cw_ctx_t *ctx)
{
    if (ctx->base)
        return CW_OK;
    cw_gather();
    // the default context: the others have one
    uintptr_t *words = cw_words_create(ctx->size, CW_COLD_WORD);
    if (!words)
        return CW_ENOMEM;
    cw_words_local(words, ctx);
    ctx->base = words;
    return CW_OK;
}

// ---------------------------------------------------------------- contexts without stores

/**
 * A context created with NOSTORE need not order the program's own stores, but its puts within the
 * node are stores too. Whether there were any since the last quiet costs the put nothing: the
 * context's `node` leads to a word that claims sleepers until the first one comes by cw_ctx_wake,
 * which puts the real word in its place.
 */
void cw_ctx_rearm(cw_ctx_t *ctx)
{
    if (ctx->rearms)
        ctx->node = &cw_ctx_unstored;
}

void cw_ctx_wake(cw_ctx_t *ctx, int rank)
{
    if (ctx->node == &cw_ctx_unstored) {
        ctx->node = cw_hot.node;
        if (!atomic_load_explicit(&ctx->node->sleepers, memory_order_relaxed))
            return;
    }
    cw_wake(cw_ctx_pe(ctx, rank));
}

// ---------------------------------------------------------------- progress while somebody waits

#define LOST_GRACE_NS 2000000000u

void cw_lost_grace(int rc)
{
    struct timespec left = {.tv_sec = LOST_GRACE_NS / 1000000000u};
    while (rc == CW_ELOST && nanosleep(&left, &left) != 0)
        ;
}

/** What this PE waits for may be among what was lost, then it never comes. Others have time to end
 *  the job before. */
static __attribute__((cold)) void lost(int rc)
{
    static atomic_ullong since;
    unsigned long long now = cwu_now_ns(), none = 0;
    if (!atomic_compare_exchange_strong(&since, &none, now) && now - none > LOST_GRACE_NS)
        cwu_fatal("this PE waits, perhaps for what never comes: a connection to another node was "
                  "lost, and nobody has "
                  "ended the job (%s)",
                  cwu_error_name(rc));
}

static void advance(cw_ctx_t *ctx)
{
    cw_port_t *port = ctx->port;
    if (cw_batch_is_on(ctx) && (!port->locked || pthread_mutex_trylock(&port->lock) == 0)) {
        cw_batch_send(ctx);
        if (port->locked)
            pthread_mutex_unlock(&port->lock);
    }
    // pairs with open_client
    cwt_client_t *client = __atomic_load_n(&port->client, __ATOMIC_ACQUIRE);
    if (client && (port != &cw_port_default || ctx == &cw_ctx_default)) {
        int rc = cw_transport->progress(client);
        if (CW_UNLIKELY(rc))
            lost(rc);
    }
}

static int poll_default(void)
{
    // pairs with open_client
    cwt_client_t *client = __atomic_load_n(&cw_port_default.client, __ATOMIC_ACQUIRE);
    return client ? cw_transport->poll(client) : 0;
}

static void advance_all(void)
{
    advance(&cw_ctx_default);
    if (cw_ctx_count_alive() == 0 || pthread_mutex_trylock(&contexts.lock))
        return;
    for (cw_ctx_t *ctx = contexts.all; ctx; ctx = ctx->next) {
        bool mine = !(ctx->options & CW_CTX_PRIVATE) || !cw_world.thread_multiple ||
                    ctx->thread == (uintptr_t)pthread_self();
        if (cw_ctx_is_marked(ctx) && mine)
            advance(ctx);
    }
    pthread_mutex_unlock(&contexts.lock);
}

static bool in_flight(void)
{
    return cw_ctx_is_marked(&cw_hot) || (cw_world.nnodes > 1 && cw_ctx_count_alive() != 0);
}

static void register_hooks(void)
{
    cw_progress_hooks.poll_replies = poll_default;
    cw_progress_hooks.in_flight = in_flight;
    cw_progress_hooks.advance = advance_all;
}

// ---------------------------------------------------------------- wrong use

void cw_ctx_failed(int rc, const char *call, const cw_ctx_t *ctx, int rank)
{
    cw_lost_grace(rc);
    cwu_fatal("%s to PE %d failed (%s)", call, cw_ctx_pe(ctx, rank), cwu_error_name(rc));
}

static const char *whose_team(const cw_ctx_t *ctx)
{
    return ctx->size == cw_world.npes ? "job" : "context's team";
}

void cw_ctx_validate(const cw_ctx_t *ctx, const char *call, int rank)
{
    if (ctx == &cw_ctx_none)
        cw_check_failed(
            call,
            "the context is not valid; use SHMEM_CTX_DEFAULT, or one whose creation returned 0");
    if (ctx->size == 0)
        cw_check_failed(call,
                        "the context has been destroyed; create another, or use SHMEM_CTX_DEFAULT");
    if (rank < 0 || rank >= ctx->size)
        cw_check_failed(call, "there is no PE %d; this %s has PEs 0 to %d", rank, whose_team(ctx),
                        ctx->size - 1);
    if ((ctx->options & CW_CTX_PRIVATE) && ctx->thread != (uintptr_t)pthread_self())
        cw_check_failed(
            call,
            "a context created with SHMEM_CTX_PRIVATE is used by another thread than its creator; "
            "create it without that option, or one for each thread");
}

cw_frame_t *cw_ctx_watch(const cw_ctx_t *ctx, cw_op_t op, const void *symmetric, const void *local,
                         size_t nbytes, int rank)
{
    if (cw_world.initialized)
        cw_ctx_validate(ctx, op >= CW_OP_ATOMIC ? "atomic" : op >= CW_OP_GET ? "get" : "put", rank);
    int pe = cw_ctx_pe(ctx, rank);
    cw_check_not_in_handler(cw_op_name(op));
    // The transfers that routines make for themselves were checked with the routine.
    if (!cw_world.initialized || !cw_watch_running())
        cw_check_transfer(op, symmetric, local, nbytes, pe);
    return cw_watch_transfer(op, nbytes, pe);
}

static void tell_leaks(void)
{
    pthread_mutex_lock(&contexts.lock);
    for (const cw_ctx_t *ctx = contexts.all; ctx; ctx = ctx->next)
        cw_check_leak("context",
                      "a %scontext of a team of %d PEs was not destroyed; shmem_ctx_destroy it",
                      ctx->options & CW_CTX_PRIVATE ? "private " : "", ctx->size);
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
