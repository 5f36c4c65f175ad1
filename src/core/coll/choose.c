// SPDX-License-Identifier: BSD-3-Clause
//
// The table of algorithms as data, and the choice.
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "core/coll/alltoall/alltoall.h"
#include "core/coll/broadcast/broadcast.h"
#include "core/coll/call.h"
#include "core/coll/describe.h"
#include "core/coll/exchange.h"
#include "core/coll/reduce/reduce.h"
#include "core/coll/scan/scan.h"
#include "core/port/check.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

#define LITTLE_NBYTES 16384u

enum {
    ONE_NODE = 1,
    NODES = 2,
    FUSED = 4,
    SCRATCH = 8,
    LITTLE = 16,
    RUNS = 32,
    BLIND = 64,
    SIZES = 128,
    PUBLISH = 256,
    SWAP = 512,
    CROWD = 1024,
    PRIVATE = 2048,
    SYMMETRIC = 4096
};
static const char *const need_names[] = {"one node",
                                         "several nodes",
                                         "room on a synchronisation",
                                         "scratch",
                                         "16 KiB together",
                                         "neighbours on nodes",
                                         "sizes unknown",
                                         "sizes known",
                                         "no other publisher",
                                         "two nodes, with memory for what comes",
                                         "members that do not meet",
                                         "private operands",
                                         "symmetric operands"};

typedef struct row {
    cw_coll_t kind;
    unsigned needs;
    uint64_t least_nbytes, most_nbytes, least_nodes, most_nodes;
    uint64_t (*room)(const cw_coll_call_t *c);
    cw_coll_fn run;
    const char *name, *text;
} row_t;

#define PES ((uint64_t)c->group->size)
#define CW_COLLECTIVE(name, text)
#define CW_ALGORITHM(collective, name, needs, room, ...)                                           \
    static uint64_t room_##collective##_##name(const cw_coll_call_t *c)                            \
    {                                                                                              \
        (void)c;                                                                                   \
        return (room);                                                                             \
    }
#include "core/coll/algorithms.def"
#undef CW_COLLECTIVE
#undef CW_ALGORITHM

#define CW_COLLECTIVE(name, text)
#define CW_ALGORITHM(collective, name, needs, room, nbytes_from, nbytes_to, nodes_from, nodes_to,  \
                     text)                                                                         \
    {CW_COLL_##collective,                                                                         \
     (needs),                                                                                      \
     (nbytes_from),                                                                                \
     (nbytes_to),                                                                                  \
     (nodes_from),                                                                                 \
     (nodes_to),                                                                                   \
     room_##collective##_##name,                                                                   \
     cw_##collective##_##name,                                                                     \
     #name,                                                                                        \
     text},
static const row_t rows[] = {
#include "core/coll/algorithms.def"
};
#undef CW_COLLECTIVE
#undef CW_ALGORITHM
enum { NROWS = sizeof(rows) / sizeof(rows[0]) };

#define CW_COLLECTIVE(name, text) {#name, text},
#define CW_ALGORITHM(...)
static const struct {
    const char *name, *bytes_of;
} collectives[] = {
#include "core/coll/algorithms.def"
};
#undef CW_COLLECTIVE
#undef CW_ALGORITHM

static int first_row[CW_COLLS + 1];    // of each collective; filled by cw_coll_choices_load
static const row_t *forced[CW_COLLS];  // by CAUSEWAY_COLL
static _Atomic bool announced[NROWS];

// ---------------------------------------------------------------- CAUSEWAY_COLL

static void list_algorithms(cw_coll_t kind, char *text, size_t size)
{
    size_t at = 0;
    for (int i = first_row[kind]; i < first_row[kind + 1] && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", rows[i].name);
}

static void list_collectives(char *text, size_t size)
{
    size_t at = 0;
    for (int k = 0; k < CW_COLLS && at < size; k++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", collectives[k].name);
}

static bool same_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static void force_algorithm(cw_coll_t kind, const char *word, size_t length)
{
    char names[200];
    for (int i = first_row[kind]; i < first_row[kind + 1]; i++)
        if (same_word(word, length, rows[i].name)) {
            forced[kind] = &rows[i];
            return;
        }
    list_algorithms(kind, names, sizeof names);
    cwu_fatal("CAUSEWAY_COLL=\"%s\": %s has no algorithm \"%.*s\": give one of %s (causeway-info "
              "--collectives)",
              cwu_env.coll, collectives[kind].name, (int)length, word, names);
}

static void force(const char *item, size_t length)
{
    char names[200];
    const char *equals = memchr(item, '=', length);
    size_t word = equals ? (size_t)(equals - item) : length;
    for (int k = 0; k < CW_COLLS; k++)
        if (equals && same_word(item, word, collectives[k].name)) {
            force_algorithm((cw_coll_t)k, equals + 1, length - word - 1);
            return;
        }
    list_collectives(names, sizeof names);
    cwu_fatal("CAUSEWAY_COLL=\"%s\": \"%.*s\" %s: give collective=algorithm, separated by commas, "
              "with the collectives %s (causeway-info --collectives)",
              cwu_env.coll, (int)word, item,
              equals ? "is not a collective" : "has no \"=algorithm\"", names);
}

void cw_coll_choices_load(void)
{
    memset(forced, 0, sizeof forced);
    for (int i = NROWS; i-- > 0;)
        first_row[rows[i].kind] = i;
    first_row[CW_COLLS] = NROWS;
    for (const char *item = cwu_env.coll; item && *item;) {
        size_t length = strcspn(item, ",");
        force(item, length);
        item += length + (item[length] == ',');
    }
}

// ---------------------------------------------------------------- the choice

/** Are the members of each node neighbours in rank? Relies on the map's ascending ranks. */
static bool in_runs(const cw_map_t *map)
{
    for (int k = 0; k < map->nnodes; k++) {
        int first = map->members[map->begin[k]], last = map->members[map->begin[k + 1] - 1];
        if (first != map->begin[k] || last != map->begin[k + 1] - 1)
            return false;
    }
    return true;
}

static bool has_room(const row_t *row, const cw_coll_call_t *c, size_t most)
{
    // the first condition keeps products in the second below 64 bits; half, as some room(c) are
    // less than nbytes
    return c->nbytes / 2 <= most && row->room(c) <= most;
}

static bool can(const row_t *row, const cw_coll_call_t *c)
{
    unsigned needs = row->needs;
    if ((needs & ONE_NODE && c->map->nnodes > 1) || (needs & NODES && c->map->nnodes == 1))
        return false;
    if ((needs & BLIND && c->blocks) || (needs & SIZES && !c->blocks))
        return false;
    if ((needs & PRIVATE && !c->is_private) || (needs & SYMMETRIC && c->is_private))
        return false;
    if (needs & FUSED && !has_room(row, c, cw_fused_most(c->group)))
        return false;
    if (needs & SCRATCH && !has_room(row, c, cw_group_scratch_nbytes(c->group)))
        return false;
    if (needs & PUBLISH && !cw_broadcast_can_publish(c))
        return false;
    if (needs & SWAP && !cw_reduce_can_swap(c))
        return false;
    if (needs & LITTLE && (c->nbytes > LITTLE_NBYTES || c->nbytes * PES > LITTLE_NBYTES))
        return false;
    return !(needs & RUNS) || in_runs(c->map);
}

static bool prefers(const row_t *row, const cw_coll_call_t *c)
{
    uint64_t nodes = (uint64_t)c->map->nnodes;
    if (row->needs & CROWD && cw_group_meets(c->group))
        return false;
    return c->nbytes >= row->least_nbytes && c->nbytes <= row->most_nbytes &&
           nodes >= row->least_nodes && nodes <= row->most_nodes;
}

/** Would the row take a collect once its sizes are known? */
static bool can_later(const row_t *row, const cw_coll_call_t *c)
{
    cw_blocks_t blocks = {0};
    cw_coll_call_t known = *c;
    known.blocks = &blocks;
    return row->needs & SIZES && !c->blocks && can(row, &known);
}

static const row_t *choose(const cw_coll_call_t *c)
{
    const row_t *wanted = forced[c->kind];
    if (CW_UNLIKELY(wanted != NULL)) {
        if (can(wanted, c))
            return wanted;
        if (can_later(wanted, c))
            return NULL;
    }
    for (int i = first_row[c->kind]; i < first_row[c->kind + 1]; i++)
        if (prefers(&rows[i], c) && can(&rows[i], c))
            return &rows[i];
    return NULL;
}

static void announce(const row_t *row, const cw_coll_call_t *c)
{
    if (atomic_exchange_explicit(&announced[row - rows], true, memory_order_relaxed))
        return;
    cwu_debug("%s by %s for the first time: %zu bytes, %d PEs on %d nodes",
              collectives[row->kind].name, row->name, c->nbytes, c->group->size, c->map->nnodes);
}

bool cw_coll_try(cw_coll_call_t *c)
{
    size_t nbytes = c->nbytes | c->own_nbytes;  // a collect knows only its own
    if (CW_UNLIKELY(nbytes > PTRDIFF_MAX))
        cw_count_refused(nbytes);
    c->map = cw_map_of(c->group);
    const row_t *row = choose(c);
    if (!row)
        return false;
    if (CW_UNLIKELY(!atomic_load_explicit(&announced[row - rows], memory_order_relaxed)))
        announce(row, c);
    row->run(c);
    return true;
}

void cw_coll_run(cw_coll_call_t *c)
{
    if (!cw_coll_try(c))
        cwu_fatal("no algorithm for %s of %zu bytes over %d PEs on %d nodes; file a bug",
                  collectives[c->kind].name, c->nbytes, c->group->size, c->map->nnodes);
}

void cw_coll_run_or_sync(cw_coll_call_t *c)
{
    if (c->nbytes)
        cw_coll_run(c);
    else
        cw_sync(c->group);
}

// ---------------------------------------------------------------- the table as text

static void describe_needs(unsigned needs, char *text, size_t size)
{
    size_t at = 0;
    text[0] = 0;
    for (size_t bit = 0; bit < sizeof(need_names) / sizeof(need_names[0]); bit++)
        if (needs >> bit & 1 && at < size)
            at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", need_names[bit]);
}

bool cw_coll_table(size_t i, cw_coll_row_t *row_p)
{
    if (i >= NROWS)
        return false;
    const row_t *row = &rows[i];
    *row_p = (cw_coll_row_t){
        .collective = collectives[row->kind].name,
        .bytes_of = collectives[row->kind].bytes_of,
        .algorithm = row->name,
        .text = row->text,
        .least_nbytes = row->least_nbytes,
        .most_nbytes = row->most_nbytes,
        .least_nodes = row->least_nodes,
        .most_nodes = row->most_nodes,
        .forced = forced[row->kind] == row,
    };
    describe_needs(row->needs, row_p->needs, sizeof row_p->needs);
    return true;
}
