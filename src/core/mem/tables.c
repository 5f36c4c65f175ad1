// SPDX-License-Identifier: BSD-3-Clause
//
// The shared tables: filled in together, mapped by each PE.
#include "core/mem/tables.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "base/pages.h"
#include "core/mem/segment.h"
#include "core/world/place.h"
#include "core/world/world.h"

#define UNIT 65536u  // a multiple of any page size
#define PARTS 64
#define PIECES 4  // in the words of all PEs

typedef struct filled {
    CW_CACHE_ALIGNED _Atomic uint32_t next;  // the first part that no PE has begun
    _Atomic uint64_t done;                   // a bit for each part; pairs with the readers' acquire
} filled_t;

typedef struct cw_tables_head {
    filled_t place, words;
    _Atomic uint64_t word;  // of the first PE
} cw_tables_head_t;
_Static_assert(sizeof(cw_tables_head_t) == 192, "shared between processes");

static uint64_t round_up(uint64_t n)
{
    return (n + UNIT - 1) / UNIT * UNIT;
}

static bool many(void)
{
    return cw_world.npes >= CW_PLACE_MANY;
}

static uint64_t piece_nbytes(void)
{
    return round_up((uint64_t)cw_world.npes * sizeof(uintptr_t) / PIECES);
}

static uint64_t section_nbytes(void)
{
    return many() ? UNIT + round_up(cw_place_nbytes()) + piece_nbytes() : 0;
}

// last in the control area; takes no addresses in small jobs
cw_section_t cw_tables_section = {
    .in = CW_SECTION_CONTROL, .align = UNIT, .nbytes = section_nbytes};

static cw_tables_head_t *head(void)
{
    return (cw_tables_head_t *)(void *)(cw_segment.base + cw_tables_section.offset);
}

static uint64_t place_offset(void)
{
    return cw_tables_section.offset + UNIT;
}

static uint64_t piece_offset(void)
{
    return place_offset() + round_up(cw_place_nbytes());
}

static void place_part(int i)
{
    int64_t npes = cw_world.npes;
    cw_place_fill(cw_segment.base + place_offset(), (int)(npes * i / PARTS),
                  (int)(npes * (i + 1) / PARTS));
}

static void words_part(int i)
{
    uint64_t n = piece_nbytes() / PARTS / sizeof(uintptr_t);
    uintptr_t *words = (uintptr_t *)(void *)(cw_segment.base + piece_offset()) + (uint64_t)i * n,
              word = (uintptr_t)atomic_load_explicit(&head()->word, memory_order_relaxed);
    for (uint64_t k = 0; k < n; k++)
        __atomic_store_n(&words[k], word, __ATOMIC_RELAXED);
}

static void fill_one(filled_t *f, void (*part)(int i), int i)
{
    part(i);
    atomic_fetch_or_explicit(&f->done, UINT64_C(1) << i, memory_order_release);
}

static void fill(filled_t *f, void (*part)(int i))
{
    if (atomic_load_explicit(&f->done, memory_order_acquire) == UINT64_MAX)
        return;
    for (uint32_t i; (i = atomic_fetch_add_explicit(&f->next, 1, memory_order_relaxed)) < PARTS;)
        fill_one(f, part, (int)i);
    for (int i = 0; i < PARTS; i++)  // the others may be late, or have ended
        if (!(atomic_load_explicit(&f->done, memory_order_acquire) >> i & 1))
            fill_one(f, part, i);
}

int cw_tables_open(void)
{
    if (!cw_place_shares())
        return CW_OK;
    fill(&head()->place, place_part);
    // a mapping of its own, which outlives the node object
    void *at = cwu_pages_map(NULL, cw_place_nbytes(), PROT_READ, MAP_SHARED, cw_segment.fd,
                             cw_segment.front + place_offset());
    if (at == MAP_FAILED) {
        cwu_error("out of memory for the peer table of %d PEs", cw_world.npes);
        return CW_ENOMEM;
    }
    cw_place_use(at);
    return CW_OK;
}

uintptr_t *cw_tables_words(uintptr_t word)
{
    uint64_t first = 0;
    if (!many())
        return NULL;
    if (!atomic_compare_exchange_strong(&head()->word, &first, word) && first != word)
        return NULL;
    fill(&head()->words, words_part);
    return cwu_pages_repeat((size_t)cw_world.npes * sizeof(uintptr_t), cw_segment.fd,
                            cw_segment.front + piece_offset(), piece_nbytes());
}
