// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: each member first states a claim (docs/design/collectives.md). Over active sets
// one at a time in a PE: one with SHMEM_THREAD_MULTIPLE states none, and is not compared.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/symbol.h"
#include "core/coll/coll.h"
#include "core/mem/foreign.h"
#include "core/mem/segment.h"
#include "core/observe/check.h"
#include "core/rma/rma.h"
#include "core/sync/fused.h"
#include "core/sync/peer.h"
#include "core/sync/sync.h"
#include "core/world/front_end.h"

#define REPORT_SECONDS 10  // until the job ends

/** A claim as it travels: symmetric addresses as offsets in the slice, or in the device heap. */
typedef struct claim {
    char call[29];
    uint8_t kind;   // cw_claim_kind_t
    uint16_t file;  // and `place`: cwu_symbol_shared of the program's call; not compared
    uint32_t place;
    int32_t pe;
    uint64_t dest, source;
    uint64_t value[7];  // in the order of value_names
} claim_t;
_Static_assert(sizeof(claim_t) == 112 && sizeof(claim_t) <= CW_TEAM_WORDS * sizeof(long),
               "two of them fit on a synchronisation");
static const char *const value_names[] = {"nelems", "root",      "dst",          "sst",
                                          "size",   "alignment", "ptr at offset"};
enum { NVALUES = sizeof(value_names) / sizeof(value_names[0]) };
static const char *const split_names[NVALUES] = {[1] = "start", [3] = "stride", [4] = "size"};
enum { TYPE_VALUE = 2, OPERATION_VALUE = 3, PTR_VALUE = 6 };
#define ON_DEVICE (UINT64_C(1) << 62)
static const char *const typed_names[NVALUES] = {
    "nelems", "root", [TYPE_VALUE] = "type", [OPERATION_VALUE] = "operation"};
static const char *const image_names[NVALUES] = {
    "elements", "image", [TYPE_VALUE] = "bytes each", [OPERATION_VALUE] = "type"};

/** The larger one counts. */
enum { SAME, DIFFER, EXCUSED };
typedef struct verdict {
    uint64_t outcome;
    claim_t first, second;
} verdict_t;
_Static_assert(sizeof(verdict_t) <= CW_COLL_SMALL, "fits on every synchronisation");

static uint64_t symmetric_offset(const void *p)
{
    // device heaps of different PEs may begin at different addresses
    const uint64_t at = p && cw_foreign ? cw_foreign->offset(p) : UINT64_MAX;
    return !p                 ? CW_CLAIM_NONE
           : at != UINT64_MAX ? ON_DEVICE | at
                              : (uint64_t)((uintptr_t)p - cw_segment.origin);
}

static bool is_on_device(uint64_t offset)
{
    return offset >> 62 == 1;
}

static uint64_t bare(uint64_t offset)
{
    return is_on_device(offset) ? offset & ~ON_DEVICE : offset;
}

static claim_t claim_of(const cw_claim_t *c)
{
    const uint64_t place = cwu_symbol_shared();
    claim_t claim = {.kind = (uint8_t)c->kind,
                     .file = (uint16_t)(place >> 32),
                     .place = (uint32_t)place,
                     .pe = cw_world.pe,
                     .dest = symmetric_offset(c->dest),
                     .source = symmetric_offset(c->source),
                     .value = {c->nelems, c->root, c->dst, c->sst, c->size, c->alignment,
                               symmetric_offset(c->ptr)}};
    snprintf(claim.call, sizeof claim.call, "%s", c->call ? c->call : "");
    return claim;
}

static bool same(const claim_t *a, const claim_t *b)
{
    return memcmp(a->call, b->call, sizeof a->call) == 0 &&
           memcmp(a->value, b->value, sizeof a->value) == 0 && a->dest == b->dest &&
           a->source == b->source;
}

static void compare(const cw_fused_op_t *op, void *acc, const void *in)
{
    verdict_t *a = acc;
    const verdict_t *b = in;
    (void)op;
    if (b->outcome > a->outcome) {
        *a = *b;
    } else if (a->outcome == SAME && !same(&a->first, &b->first)) {
        a->second = b->first;
        a->outcome = DIFFER;
    }
}

// ---------------------------------------------------------------- the message

static void describe_object(const char *name, uint64_t mine, uint64_t other, char *text,
                            size_t size, size_t *at)
{
    if (mine == other || *at >= size)
        return;
    if (mine == CW_CLAIM_NONE)
        *at += (size_t)snprintf(text + *at, size - *at, ", no %s", name);
    else
        *at += (size_t)snprintf(text + *at, size - *at, ", %s at offset 0x%llx%s", name,
                                (unsigned long long)bare(mine),
                                is_on_device(mine) ? " of the device heap" : "");
}

/** The name of a type or an operation in the call's interface; NULL: it has none. */
static const char *word_for(const claim_t *claim, int i)
{
    const cw_front_end_t *f = cw_front_end_of(claim->call);
    return claim->kind == CW_CLAIM_TYPED && i >= TYPE_VALUE && i <= OPERATION_VALUE && f->value_name
               ? f->value_name(i == OPERATION_VALUE, claim->value[i])
               : NULL;
}

static void describe_value(const claim_t *claim, int i, const char *name, char *text, size_t size,
                           size_t *at)
{
    if (*at >= size)
        return;
    const char *word = word_for(claim, i);
    const bool in_words = claim->kind == CW_CLAIM_NAMED || claim->kind == CW_CLAIM_IMAGES;
    if (in_words && i == OPERATION_VALUE)
        *at += (size_t)snprintf(text + *at, size - *at, ", %s \"%.*s\"", name,
                                (int)sizeof claim->value[i], (const char *)&claim->value[i]);
    else if (word)
        *at += (size_t)snprintf(text + *at, size - *at, ", %s %s", name, word);
    else
        *at +=
            (size_t)snprintf(text + *at, size - *at, ", %s %lld", name,
                             (long long)(i == PTR_VALUE ? bare(claim->value[i]) : claim->value[i]));
}

/** " at main+0x1c (ring.c:26)" of another PE; this one's stands at the end of the message. */
static void describe_place(const claim_t *claim, char *text, size_t size)
{
    char place[160];
    const uint64_t shared = (uint64_t)claim->file << 32 | claim->place;
    text[0] = '\0';
    if (claim->pe != cw_world.pe && cwu_symbol_describe_shared(shared, place, sizeof place))
        snprintf(text, size, " at %s", place);
}

/** "PE 3 calls shmem_int_broadcast (nelems 4, root 0)", with the objects if they differ. */
static void describe(const claim_t *claim, const claim_t *other, char *text, size_t size)
{
    char values[200] = "", place[170];
    size_t at = 0;
    static const char *const *const names_of[] = {[CW_CLAIM_SYMMETRIC] = value_names,
                                                  [CW_CLAIM_SPLIT] = split_names,
                                                  [CW_CLAIM_TYPED] = typed_names,
                                                  [CW_CLAIM_NAMED] = typed_names,
                                                  [CW_CLAIM_IMAGES] = image_names};
    const char *const *names = names_of[claim->kind];
    // A split's arguments may be -1, which elsewhere marks an absent one.
    const bool is_split = claim->kind == CW_CLAIM_SPLIT, is_image = claim->kind == CW_CLAIM_IMAGES;
    for (int i = 0; i < NVALUES; i++)
        if (names[i] && (is_split || claim->value[i] != CW_CLAIM_NONE))
            describe_value(claim, i, names[i], values, sizeof values, &at);
    if (memcmp(claim->call, other->call, sizeof claim->call) == 0) {
        describe_object("dest", claim->dest, other->dest, values, sizeof values, &at);
        describe_object("source", claim->source, other->source, values, sizeof values, &at);
    }
    describe_place(claim, place, sizeof place);
    snprintf(text, size, "%s %d calls %s%s%s%s%s", is_image ? "image" : "PE", claim->pe + is_image,
             claim->call, at ? " (" : "", at ? values + 2 : "", at ? ")" : "", place);
}

static void report(const cw_claim_t *mine, const claim_t *first, const claim_t *second)
{
    char a[420], b[420];
    describe(first, second, a, sizeof a);
    describe(second, first, b, sizeof b);
    cw_check_failed(mine->call,
                    "%s, but %s: all %s that take part must make the same collective calls with "
                    "the same arguments",
                    a, b, mine->kind == CW_CLAIM_IMAGES ? "images" : "PEs");
}

/** The first PE of the two reports; the others wait for the end of the job. */
static void let_first_report(void)
{
    nanosleep(&(struct timespec){.tv_sec = REPORT_SECONDS}, NULL);
}

// ---------------------------------------------------------------- groups

static void agree_fused(const cw_group_t *group, const cw_claim_t *mine)
{
    verdict_t verdict = {.outcome = mine->call ? SAME : EXCUSED, .first = claim_of(mine)};
    cw_fused_op_t op = {compare};
    cw_fused(group, &verdict, sizeof verdict, &op);
    if (verdict.outcome != DIFFER)
        return;
    if (verdict.first.pe != cw_world.pe)
        let_first_report();
    report(mine, &verdict.first, &verdict.second);
}

/** With the claim of the PE before; a PE that states none has zeros there. */
static void compare_in_set(const cw_group_t *group, const cw_claim_t *mine,
                           const claim_t *published)
{
    claim_t before;
    int pe = cw_group_pe(group, group->rank ? group->rank - 1 : 0);
    if (cw_coll_is_local(pe)) {
        memcpy(&before, cw_coll_at(pe, published), sizeof before);
    } else {
        cw_coll_get_nbi(pe, &before, published, sizeof before);
        cw_quiet(&cw_ctx_default);
    }
    if (before.call[0] && !same(&before, published))
        report(mine, &before, published);
}

static void agree_in_set(const cw_group_t *group, const cw_claim_t *mine)
{
    claim_t *published = (claim_t *)(void *)cw_coll_scratch()->words[CW_COLL_CLAIM_WORDS];
    if (!cw_world.thread_multiple)
        *published = claim_of(mine);
    cw_sync(group);
    if (!cw_world.thread_multiple)
        compare_in_set(group, mine, published);
    cw_sync(group);
}

void cw_coll_agree(const cw_group_t *group, const cw_claim_t *claim)
{
    if (group->size == 1)
        return;
    if (sizeof(verdict_t) <= cw_fused_most(group))
        agree_fused(group, claim);
    else
        agree_in_set(group, claim);
}

void cw_coll_agree_on(const cw_group_t *group, const char *call, uint64_t nelems, uint64_t root,
                      uint64_t type, uint64_t op, const char *op_name)
{
    cw_claim_t claim = cw_claim(call);
    claim.kind = op_name ? CW_CLAIM_NAMED : CW_CLAIM_TYPED;
    claim.nelems = nelems;
    claim.root = root;
    claim.dst = type;
    claim.sst = op;
    if (op_name) {
        claim.sst = 0;
        memcpy(&claim.sst, op_name, strnlen(op_name, sizeof claim.sst));
    }
    cw_coll_agree(group, &claim);
}
