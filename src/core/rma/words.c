// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of peer words.
#include "core/rma/words.h"

#include <stdlib.h>

#include "core/mem/gather.h"
#include "core/mem/segment.h"
#include "core/rma/ctx.h"

// Shared tables, each of the world's size, made when first needed. Guarded by the registry of
// contexts.
static struct {
    uintptr_t *local;         // this node's PEs; cold for the others
    uintptr_t *cold;          // all cold
    uintptr_t *cold_default;  // the same for the default context
} shared;

static uintptr_t *create(int npes, uintptr_t word)
{
    size_t n = (size_t)npes + 2 * CW_GUARD_WORDS;
    uintptr_t *all = malloc(n * sizeof *all);
    if (!all)
        return NULL;
    for (size_t i = 0; i < n; i++)
        all[i] = word;
    return all + CW_GUARD_WORDS;
}

static void destroy(const uintptr_t *words)
{
    if (words)
        free((uintptr_t *)(uintptr_t)words - CW_GUARD_WORDS);
}

static uintptr_t word_of_slot(int slot)
{
    return (uintptr_t)cw_segment.base + cw_slice_offset((uint32_t)slot) - cw_segment.origin;
}

/** Fills in the words of the PEs of this node, for the ranks of a context. */
static void fill_local(uintptr_t *words, const cw_ctx_t *ctx)
{
    for (int rank = 0; rank < ctx->size; rank++) {
        int pe = cw_ctx_pe(ctx, rank);
        if (cw_world.node_of_pe[pe] == cw_world.node)
            words[rank] = pe == cw_world.pe ? 0 : word_of_slot(cw_world.slot_of_pe[pe]);
    }
}

/** NULL: no memory. */
static uintptr_t *shared_table(uintptr_t **table, uintptr_t word, bool local)
{
    if (!*table) {
        uintptr_t *words = create(cw_world.npes, word);
        if (words && local)
            fill_local(words, &cw_ctx_default);
        __atomic_store_n(table, words, __ATOMIC_RELEASE);  // pairs with cw_words_choose
    }
    return *table;
}

/** Does any context need a table that is cold everywhere? */
static bool need_cold(void)
{
    return cw_world.watched || cw_world.nic_atomics;
}

static void point(cw_ctx_t *ctx, const uintptr_t *here, const uintptr_t *cold)
{
    __atomic_store_n(&ctx->peer, cw_world.watched ? cold : here, __ATOMIC_RELEASE);
    __atomic_store_n(&ctx->amo_peer, need_cold() ? cold : here, __ATOMIC_RELEASE);
}

int cw_words_open(void)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    ctx->own = create(cw_world.npes, CW_COLD_WORD);
    if (!ctx->own || (need_cold() && !shared_table(&shared.cold_default, CW_COLD_WORD, false))) {
        cwu_error("out of memory for the peer table of %d PEs", cw_world.npes);
        return CW_ENOMEM;
    }
    if (cw_world.npes > CW_OUTSIDE_WORDS - CW_OUTSIDE_BELOW &&
        shared_table(&shared.cold, CW_CTX_COLD_WORD, false))
        cw_ctx_none.peer = cw_ctx_none.amo_peer = cw_ctx_none.word = shared.cold;
    ctx->own[cw_world.pe] = 0;  // those of the node's other PEs come later: cw_words_gathered
    ctx->word = ctx->own;
    point(ctx, ctx->word, shared.cold_default);
    return CW_OK;
}

void cw_words_shut(void)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    const uintptr_t *own = ctx->own, *base = ctx->base;
    ctx->peer = ctx->amo_peer = ctx->word = cw_words_outside;
    cw_ctx_none.peer = cw_ctx_none.amo_peer = cw_ctx_none.word = cw_words_none;
    ctx->own = NULL;
    ctx->base = NULL;
    destroy(own);
    destroy(base);
    destroy(shared.local);
    destroy(shared.cold);
    destroy(shared.cold_default);
    shared.local = shared.cold = shared.cold_default = NULL;
}

void cw_words_gathered(void)
{
    uintptr_t *words = cw_ctx_default.own;
    for (int slot = 0; slot < cw_world.nslots; slot++)
        if (slot != cw_world.slot)  // pairs with cw_peer_word
            __atomic_store_n(&words[cw_world.pes_of_node[slot]], word_of_slot(slot),
                             __ATOMIC_RELEASE);
}

// ---------------------------------------------------------------- of other contexts

/** Consecutive PEs: their words are a window of the world's. */
static bool is_window(const cw_ctx_t *ctx)
{
    return !ctx->listed && ctx->stride == 1;
}

int cw_words_give(cw_ctx_t *ctx)
{
    if (!shared_table(&shared.local, CW_CTX_COLD_WORD, true) ||
        (need_cold() && !shared_table(&shared.cold, CW_CTX_COLD_WORD, false)))
        return CW_ENOMEM;
    if (is_window(ctx)) {
        ctx->base = shared.local + ctx->start;
    } else {
        uintptr_t *words = create(ctx->size, CW_CTX_COLD_WORD);
        if (!words)
            return CW_ENOMEM;
        fill_local(words, ctx);
        ctx->base = words;
    }
    ctx->word = ctx->base;
    point(ctx, ctx->word, shared.cold);
    return CW_OK;
}

void cw_words_take(cw_ctx_t *ctx)
{
    destroy(ctx->own);
    if (!is_window(ctx))
        destroy(ctx->base);
}

const uintptr_t *cw_words_cold(void)
{
    const uintptr_t *cold = shared_table(&shared.cold, CW_CTX_COLD_WORD, false);
    return cold ? cold : cw_words_none;
}

// ---------------------------------------------------------------- tables that change

uintptr_t *cw_words_own(cw_ctx_t *ctx)
{
    if (ctx->own)
        return ctx->own;
    uintptr_t *words = create(ctx->size, CW_CTX_COLD_WORD);
    if (!words)
        cwu_fatal("out of memory for a context's table of %d PEs", ctx->size);
    memcpy(words, ctx->word, (size_t)ctx->size * sizeof *words);
    ctx->own = words;
    // pairs with the dependent loads of cw_peer_word
    __atomic_store_n(&ctx->word, words, __ATOMIC_RELEASE);
    cw_words_choose(ctx);
    return words;
}

void cw_words_choose(cw_ctx_t *ctx)
{
    // Another thread may be making the table just now, for a context that was destroyed.
    const uintptr_t *cold = __atomic_load_n(
        ctx == &cw_ctx_default ? &shared.cold_default : &shared.cold, __ATOMIC_ACQUIRE);
    point(ctx, cw_batch_is_on(ctx) ? ctx->base : ctx->word, cold);
}

int cw_words_need_base(cw_ctx_t *ctx)
{
    if (ctx->base)
        return CW_OK;
    cw_gather();
    uintptr_t *words = create(ctx->size, CW_COLD_WORD);  // only the default context has none
    if (!words)
        return CW_ENOMEM;
    fill_local(words, ctx);
    ctx->base = words;
    return CW_OK;
}
