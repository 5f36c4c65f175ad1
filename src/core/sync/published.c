// SPDX-License-Identifier: BSD-3-Clause
//
// The tables, and the search through them.
#include "core/sync/published.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/wait.h"
#include "core/mem/segment.h"
#include "core/path/contact.h"
#include "core/port/port.h"
#include "core/rma/context.h"

typedef struct cw_published {
    _Atomic uint64_t word[CW_PUBLISHED_WORDS];
} cw_published_t;
_Static_assert(sizeof(cw_published_t) == 16, "shared between processes and nodes");

/** At one offset in each node object. */
typedef struct table {
    CW_CACHE_ALIGNED _Atomic uint32_t busy;  // a PE of the node reads for all
    _Atomic uint32_t waiting;                // threads of the node that wait for words
    CW_CACHE_ALIGNED cw_published_t pe[];
} table_t;

static uint64_t table_nbytes(void)
{
    return sizeof(table_t) +
           (uint64_t)cw_world.nnodes * (uint64_t)cw_world.max_slots * sizeof(cw_published_t);
}

cw_section_t cw_published_section = {.in = CW_SECTION_CONTROL, .align = 64, .nbytes = table_nbytes};

static table_t *table(void)
{
    return (table_t *)(void *)(cw_segment.base + cw_published_section.offset);
}

static size_t place(int node, int slot)
{
    return (size_t)node * (size_t)cw_world.max_slots + (size_t)slot;
}

static size_t place_of(int pe)
{
    return place(cw_world.node_of_pe[pe], cw_world.slot_of_pe[pe]);
}

void cw_publish_word(cw_published_word_t which, uint64_t value)
{
    // Releases what this PE has done; pairs with cw_published_known.
    atomic_store_explicit(&table()->pe[place_of(cw_world.pe)].word[which], value,
                          memory_order_release);
    // at start PEs sleep for many reasons: woken only if one waits for words
    if (atomic_load_explicit(&table()->waiting, memory_order_relaxed))
        for (int slot = 0; slot < cw_world.nslots; slot++)
            cw_local_stored(cw_world.pes_of_node[slot]);
}

void cw_published_wait(void)
{
    // before the next poll; a word published in between is seen after a time-out
    atomic_fetch_add(&table()->waiting, 1);
}

void cw_published_wait_end(void)
{
    atomic_fetch_sub_explicit(&table()->waiting, 1, memory_order_relaxed);
}

uint64_t cw_published_known(int pe, cw_published_word_t which)
{
    return atomic_load_explicit(&table()->pe[place_of(pe)].word[which], memory_order_acquire);
}

/** From the table of a node. Two processes may do it at a time: they read the same. */
static void read_words(int node, size_t first, size_t n)
{
    uint64_t *words = malloc(n * sizeof(cw_published_t));
    if (!words)
        cwu_fatal("out of memory for the published words of %zu PEs", n);
    cw_node_read(
        node, cw_published_section.offset + offsetof(table_t, pe) + first * sizeof(cw_published_t),
        words, n * sizeof(cw_published_t));
    cw_published_t *of_pes = &table()->pe[first];
    for (size_t i = 0; i < n * CW_PUBLISHED_WORDS; i++)
        if (words[i])
            atomic_store_explicit(&of_pes[i / CW_PUBLISHED_WORDS].word[i % CW_PUBLISHED_WORDS],
                                  words[i], memory_order_release);
    free(words);
}

static bool is_due(cw_published_search_t *s)
{
    uint64_t now = cwu_now_ns();
    if (s->since_ns == 0)
        s->since_ns = now;
    return now >= s->next_ns;
}

static void schedule(cw_published_search_t *s)
{
    uint64_t now = cwu_now_ns();
    s->next_ns = now + (now - s->since_ns) / 4;
}

uint64_t cw_published_poll(cw_published_search_t *s, int pe)
{
    uint64_t value = cw_published_known(pe, s->which);
    if (value || cw_world.node_of_pe[pe] == cw_world.node || !is_due(s))
        return value;
    read_words(cw_world.node_of_pe[pe], place_of(pe), 1);
    schedule(s);
    return cw_published_known(pe, s->which);
}

// ---------------------------------------------------------------- all
static bool row_known(int node, cw_published_word_t which)
{
    for (int slot = 0; slot < cw_world.slots_of_node[node]; slot++)
        if (!atomic_load_explicit(&table()->pe[place(node, slot)].word[which],
                                  memory_order_acquire))
            return false;
    return true;
}

/** Rows from `first` on, in a circle, that are known without a gap. */
static int rows_known(int first, int n, cw_published_word_t which)
{
    int known = 0;
    while (known < n && row_known((first + known) % cw_world.nnodes, which))
        known++;
    return known;
}

static void read_rows(int from, int first, int n)
{
    int until_end = cw_world.nnodes - first;
    size_t slots = (size_t)cw_world.max_slots;
    read_words(from, place(first, 0), (size_t)(n < until_end ? n : until_end) * slots);
    if (n > until_end)
        read_words(from, 0, (size_t)(n - until_end) * slots);
}

/** Doubles the distance. False: the node there does not know its rows yet. */
static bool step(cw_published_search_t *s)
{
    int left = cw_world.nnodes - s->distance, n = s->distance < left ? s->distance : left;
    int partner = (cw_world.node + s->distance) % cw_world.nnodes;
    if (rows_known(partner, n, s->which) < n)
        read_rows(partner, partner, n);
    int known = rows_known(partner, n, s->which);
    if (known < n && cwu_now_ns() - s->since_ns > CWU_WAIT_NS(HELP)) {
        int row = (partner + known) % cw_world.nnodes;
        read_rows(row, row, 1);
        known = rows_known(partner, n, s->which);
    }
    if (known < n)
        return false;
    s->distance *= 2;
    return true;
}

bool cw_published_poll_all(cw_published_search_t *s)
{
    uint32_t idle = 0;
    if (s->distance == 0)
        s->distance = 1;
    if (s->distance < cw_world.nnodes && is_due(s) &&
        atomic_compare_exchange_strong(&table()->busy, &idle, 1)) {
        while (s->distance < cw_world.nnodes && step(s))
            ;
        atomic_store_explicit(&table()->busy, 0, memory_order_release);
        schedule(s);
    }
    while (s->pe < cw_world.npes && cw_published_known(s->pe, s->which))
        s->pe++;
    return s->pe == cw_world.npes;
}
