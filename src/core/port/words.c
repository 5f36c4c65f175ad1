// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of peer words.
#include "core/port/words.h"

#include <stdlib.h>

#include "base/pages.h"
#include "core/mem/gather.h"
#include "core/mem/segment.h"
#include "core/mem/tables.h"
#include "core/port/ctx.h"
#include "core/route/setting.h"
#include "core/world/place.h"

// Each of the world's size, made when first needed. Guarded by the registry of contexts.
static struct {
    uintptr_t *local;         // cold off the node
    uintptr_t *cold;
    uintptr_t *cold_default;  // for the default context
} shared;

/** For puts and gets, not for atomics alone. */
static bool all_cold(void)
{
    return cw_world.watched || cw_world.foreign;
}

static bool need_cold(void)
{
    return all_cold() || cw_world.nic_atomics || cw_route.topology;
}

/** They share pages of cold words until written. */
static bool repeats(int npes)
{
    return npes >= CW_PLACE_MANY;
}

static uintptr_t *create(int npes, uintptr_t word)
{
    if (repeats(npes))
        return cwu_pages_pattern((size_t)npes * sizeof(uintptr_t), word);
    uintptr_t *words = malloc((size_t)npes * sizeof *words);
    for (int i = 0; words && i < npes; i++)
        words[i] = word;
    return words;
}

static void destroy(const uintptr_t *words, int npes)
{
    if (words && repeats(npes))
        cwu_pages_free((void *)(uintptr_t)words, (size_t)npes * sizeof *words);
    else
        free((void *)(uintptr_t)words);
}

// ---------------------------------------------------------------- guarded (core/port/hot.h)
// Where addresses are too few there are some entries around 0 and around the last.
#define END (sizeof(cwt_target_t) + ((size_t)1 << 32) * sizeof(uintptr_t))
#define FEW (256 * sizeof(uintptr_t))
#define LAST_FEW (END - FEW)

typedef struct guarded {
    char *head;           // the cold record, then the entries
    size_t short_nbytes;  // if not 0: of the head and few entries
} guarded_t;

// `zero`: no entries; `own`, `base`: the default context's. While no path reads `zero`, `own` is
// the same memory: so large a mapping costs some 50 us.
static struct {
    guarded_t zero, own, base;
    guarded_t cold;  // of cw_words_need_cold
} guarded CW_WRITTEN_AT_LOAD;

static size_t guarded_used(int npes)
{
    return sizeof(cwt_target_t) + (size_t)npes * sizeof(uintptr_t);
}

static void guarded_create(guarded_t *g, int npes)
{
    size_t used = guarded_used(npes);
    *g = (guarded_t){.head = cwu_pages_zeros(END)};
    if (g->head && cwu_pages_open(g->head, used)) {
        cwu_pages_free(g->head, END);
        g->head = NULL;
    }
    if (!g->head) {
        g->short_nbytes = used + FEW;
        g->head = cwu_pages_apart(g->short_nbytes, LAST_FEW, END);
    }
    if (g->head)
        memcpy(g->head, &cw_cold_target, sizeof cw_cold_target);
}

static void guarded_destroy(guarded_t *g)
{
    if (g->head && g->short_nbytes)
        cwu_pages_apart_free(g->head, g->short_nbytes, LAST_FEW, END);
    else if (g->head)
        cwu_pages_free(g->head, END);
    g->head = NULL;
}

static uintptr_t guarded_first(const guarded_t *g)
{
    return (uintptr_t)g->head + 1;
}

static void guarded_set(guarded_t *g, int pe, uintptr_t word)
{
    uintptr_t *entry = (uintptr_t *)(guarded_first(g) + CW_GUARDED_ENTRIES);
    // pairs with cw_guarded_word
    __atomic_store_n(&entry[pe], word - guarded_first(g), __ATOMIC_RELEASE);
}

/** Calls before init find no job, for any PE. Constructors of a program that has the library in it
 *  run before this one, and may initialise. */
CW_AT_LOAD static void guarded_open(void)
{
    if (guarded.zero.head)
        return;
    guarded_create(&guarded.zero, 0);
    if (guarded.zero.head)
        cw_guarded = (cw_guarded_t){guarded_first(&guarded.zero), guarded_first(&guarded.zero)};
    else
        guarded.zero.head = (char *)cw_guarded.peer - 1;
}

static void guarded_open_own(void)
{
    guarded_open();
    const guarded_t *zero = &guarded.zero;
    const bool is_long = !zero->short_nbytes, same = is_long && !need_cold();
    const size_t used = guarded_used(same ? cw_world.npes : 0);
    if (is_long)
        cwu_pages_unlock(zero->head, used, END);
    if (same && !cwu_pages_open(zero->head, used))
        guarded.own = *zero;
    else
        guarded_create(&guarded.own, cw_world.npes);
}

static void guarded_shut_own(int npes)
{
    guarded_t *own = &guarded.own;
    if (own->head != guarded.zero.head)
        guarded_destroy(own);
    const uintptr_t *entry = (uintptr_t *)(guarded_first(own) + CW_GUARDED_ENTRIES);
    for (int pe = 0; own->head && pe < npes; pe++)
        if (entry[pe])                                 // pages never written stay so
            guarded_set(own, pe, guarded_first(own));
    own->head = NULL;
}

static void guarded_point(const guarded_t *here)
{
    const guarded_t *cold = guarded.cold.head ? &guarded.cold : &guarded.zero,
                    *puts = all_cold() ? cold : here, *atomics = need_cold() ? cold : here;
    __atomic_store_n(&cw_guarded.peer, guarded_first(puts), __ATOMIC_RELEASE);
    __atomic_store_n(&cw_guarded.amo_peer, guarded_first(atomics), __ATOMIC_RELEASE);
}

// ---------------------------------------------------------------- of the default context

static uintptr_t word_of_slot(int slot)
{
    return (uintptr_t)cw_segment.base + cw_slice_offset((uint32_t)slot) - cw_segment.origin;
}

static uintptr_t word_of_local(int pe)
{
    return pe == cw_world.pe ? 0 : word_of_slot(cw_world.slot_of_pe[pe]);
}

/** Writes the words of this node's PEs, by the context's ranks. */
static void fill_local(uintptr_t *words, const cw_ctx_t *ctx)
{
    for (int rank = 0; ctx->listed && rank < ctx->size; rank++)
        if (cw_world.node_of_pe[ctx->pes[rank]] == cw_world.node)
            words[rank] = word_of_local(ctx->pes[rank]);
    for (int slot = 0; !ctx->listed && slot < cw_world.nslots; slot++) {
        int pe = cw_world.pes_of_node[slot], away = pe - ctx->start, rank = away / ctx->stride;
        if (away % ctx->stride == 0 && rank >= 0 && rank < ctx->size)
            words[rank] = word_of_local(pe);
    }
}

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

static void point(cw_ctx_t *ctx, const uintptr_t *here, const uintptr_t *cold)
{
    __atomic_store_n(&ctx->peer, all_cold() ? cold : here, __ATOMIC_RELEASE);
    __atomic_store_n(&ctx->amo_peer, need_cold() ? cold : here, __ATOMIC_RELEASE);
}

int cw_words_open(void)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    ctx->own = cw_tables_words(CW_COLD_WORD);
    if (!ctx->own)
        ctx->own = create(cw_world.npes, CW_COLD_WORD);
    guarded_open_own();
    if (!ctx->own || !guarded.own.head ||
        (need_cold() && !shared_table(&shared.cold_default, CW_COLD_WORD, false))) {
        cwu_error("out of memory for the peer table of %d PEs", cw_world.npes);
        return CW_ENOMEM;
    }
    cw_words_set(ctx, cw_world.pe, 0);  // others: cw_words_gathered
    ctx->word = ctx->own;
    point(ctx, ctx->word, shared.cold_default);
    guarded_point(&guarded.own);
    return CW_OK;
}

void cw_words_shut(void)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    const uintptr_t *own = ctx->own, *base = ctx->base;
    cw_guarded = (cw_guarded_t){guarded_first(&guarded.zero), guarded_first(&guarded.zero)};
    ctx->size = 0;
    ctx->peer = ctx->amo_peer = ctx->word = NULL;
    ctx->own = NULL;
    ctx->base = NULL;
    guarded_shut_own(cw_world.npes);
    guarded_destroy(&guarded.base);
    guarded_destroy(&guarded.cold);
    cw_world.foreign = false;
    destroy(own, cw_world.npes);
    destroy(base, cw_world.npes);
    destroy(shared.local, cw_world.npes);
    destroy(shared.cold, cw_world.npes);
    destroy(shared.cold_default, cw_world.npes);
    shared.local = shared.cold = shared.cold_default = NULL;
}

void cw_words_gathered(void)
{
    for (int slot = 0; slot < cw_world.nslots; slot++)
        if (slot != cw_world.slot)
            cw_words_set(&cw_ctx_default, cw_world.pes_of_node[slot], word_of_slot(slot));
}

/** Made at first contact. */
static uintptr_t *own_table(cw_ctx_t *ctx)
{
    if (ctx->own)
        return ctx->own;
    uintptr_t *words = create(ctx->size, CW_CTX_COLD_WORD);
    if (!words)
        cwu_fatal("out of memory for a context's table of %d PEs", ctx->size);
    fill_local(words, ctx);  // what `word` has said
    ctx->own = words;
    // pairs with the dependent loads of cw_entry
    __atomic_store_n(&ctx->word, words, __ATOMIC_RELEASE);
    cw_words_choose(ctx);
    return words;
}

void cw_words_set(cw_ctx_t *ctx, int rank, uintptr_t word)
{
    // pairs with cw_entry
    __atomic_store_n(&own_table(ctx)[rank], word, __ATOMIC_RELEASE);
    if (ctx == &cw_ctx_default)
        guarded_set(&guarded.own, rank, word);
}

// ---------------------------------------------------------------- of other contexts

/** Their words are a window of the world's. */
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
    destroy(ctx->own, ctx->size);
    if (!is_window(ctx))
        destroy(ctx->base, ctx->size);
}

// ---------------------------------------------------------------- tables that change

void cw_words_choose(cw_ctx_t *ctx)
{
    // Another thread may be making it, for a context that was destroyed.
    const uintptr_t *cold = __atomic_load_n(
        ctx == &cw_ctx_default ? &shared.cold_default : &shared.cold, __ATOMIC_ACQUIRE);
    point(ctx, cw_batch_is_on(ctx) ? ctx->base : ctx->word, cold);
    if (ctx == &cw_ctx_default)
        guarded_point(cw_batch_is_on(ctx) ? &guarded.base : &guarded.own);
}

int cw_words_need_cold(void)
{
    if (!shared_table(&shared.cold_default, CW_COLD_WORD, false) ||
        !shared_table(&shared.cold, CW_CTX_COLD_WORD, false))
        return CW_ENOMEM;
    if (!guarded.cold.head)  // `zero` may be the memory of `own`
        guarded_create(&guarded.cold, 0);
    return guarded.cold.head ? CW_OK : CW_ENOMEM;
}

int cw_words_need_base(cw_ctx_t *ctx)
{
    if (ctx->base)
        return CW_OK;
    cw_gather();
    uintptr_t *words = create(ctx->size, CW_COLD_WORD);  // for the default context only
    if (!words)
        return CW_ENOMEM;
    guarded_create(&guarded.base, ctx->size);
    if (!guarded.base.head) {
        destroy(words, ctx->size);
        return CW_ENOMEM;
    }
    fill_local(words, ctx);
    for (int slot = 0; slot < cw_world.nslots; slot++) {
        int pe = cw_world.pes_of_node[slot];
        guarded_set(&guarded.base, pe, words[pe]);
    }
    ctx->base = words;
    return CW_OK;
}
