// SPDX-License-Identifier: BSD-3-Clause
//
// Coarrays and their memory. Each image allocates from its own area; the images of a team agree on
// each coarray by one synchronisation, which tells whether all have it at one place. They do where
// all have made the same allocations; after allocations in teams they may not, and then each image
// keeps the places of all.
//
// The runtime's own memory:
//     used, address of the area, state | places in queues of locks | components that are no more |
//     gates | stage | counts of SYNC IMAGES
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "caf/gone.h"
#include "caf/transfer.h"
#include "caf/window.h"
#include "core/mem/area.h"
#include "core/mem/blocks.h"
#include "core/sync/fused.h"
#include "core/world/front_end.h"

enum { PLACE_NBYTES = 64, ADDRESS_AT = 64, STATE_AT = 96, LOCKS_AT = 128 };
enum {
    ENDED_AT = 1 << 17,
    GATES_AT = 1 << 18,
    STAGE_AT = 1 << 20,
    SYNC_AT = STAGE_AT + 2 * CAF_STAGE
};
_Static_assert(LOCKS_AT + CAF_LOCK_PLACES * PLACE_NBYTES <= ENDED_AT, "room for the places");
_Static_assert(SYNC_AT <= 8 << 20, "of the 32 MiB that are there, beside 16 KiB a PE");

static cw_blocks_t blocks CW_LARGE;
static uintptr_t *addresses;  // [npes] of the areas in their PEs; 0: unknown

static caf_door_t *doors CW_WRITTEN_AT_LOAD;

/** Another front end may have joined before: then the program, or a library of it, must call. */
static bool is_wanted(void)
{
    bool wanted = caf.door != NULL;
    for (const caf_door_t *door = doors; door && !wanted; door = door->next)
        wanted = cw_program_uses(door->is_routine);
    return wanted;
}

const cw_area_request_t caf_area_request = {
    .what = "memory for coarrays", .sparse = true, .is_wanted = is_wanted};

void caf_announce(caf_door_t *door)
{
    door->next = doors;
    doors = door;
    cw_area_reserve(&caf_area_request);
}

static char *own_kept;  // while coarrays are in use; SYNC IMAGES asks twice
uintptr_t caf_area_begin;
size_t caf_area_nbytes;

static char *own(void)
{
    return own_kept ? own_kept : cw_area_own(&caf_area_request, &(size_t){0});
}

static char *area(size_t *nbytes_p)
{
    return cw_area(&caf_area_request, nbytes_p);
}

void *caf_own(caf_own_t part)
{
    static const size_t at[] = {
        [CAF_OWN_STATE] = STATE_AT, [CAF_OWN_USED] = 0,         [CAF_OWN_LOCKS] = LOCKS_AT,
        [CAF_OWN_ENDED] = ENDED_AT, [CAF_OWN_GATES] = GATES_AT, [CAF_OWN_STAGE] = STAGE_AT,
        [CAF_OWN_SYNC] = SYNC_AT};
    return own() + at[part];
}

void caf_memory_open(void)
{
    size_t nbytes;
    char *base = area(&nbytes);
    own_kept = own();
    caf_area_begin = (uintptr_t)base;
    caf_area_nbytes = nbytes;
    nbytes = caf_window_open(base, nbytes);
    if (cw_blocks_open(&blocks, base, nbytes,
                       cw_area_early(caf_own(CAF_OWN_USED), cw_world.pes_of_node[0])))
        cwu_fatal("out of memory for the table of coarrays");
    *(uint64_t *)(void *)(own() + ADDRESS_AT) = (uintptr_t)base;
}

void caf_memory_close(void)
{
    own_kept = NULL;
    caf_area_nbytes = 0;
    caf_window_close();
    caf_component_close();
    cw_blocks_close(&blocks);
    free(addresses);
    addresses = NULL;
}

// ---------------------------------------------------------------- places
uintptr_t caf_at_slow(const caf_coarray_t *coarray, int pe)
{
    if (coarray->of)
        return (uintptr_t)caf_at(coarray->of, pe, (size_t)(coarray->mine - coarray->of->mine));
    int rank = coarray->at ? cw_group_rank_of(coarray->team->group, pe) : -1;
    if (rank < 0) {
        caf_name_t name;
        caf_fatal("access to a coarray", "it was not allocated by a team of %s",
                  caf_image_name(pe, name));
    }
    return coarray->at[rank];
}

static uintptr_t address_of(int pe)
{
    if (!addresses && !(addresses = calloc((size_t)cw_world.npes, sizeof *addresses)))
        cwu_fatal("out of memory for the places of %d images", cw_world.npes);
    if (!addresses[pe])
        caf_get(&addresses[pe], own() + ADDRESS_AT, sizeof *addresses, pe);
    return addresses[pe];
}

size_t caf_offset_of(const void *addr)
{
    size_t nbytes;
    const uintptr_t base = (uintptr_t)area(&nbytes), at = (uintptr_t)addr,
                    view = (uintptr_t)caf_view((void *)base);
    return at - base < nbytes ? at - base : at - view < nbytes ? at - view : SIZE_MAX;
}

void *caf_at_owners(int pe, const void *addr, size_t nbytes)
{
    size_t most;
    char *mine = area(&most);
    uintptr_t offset = (uintptr_t)addr - address_of(pe);
    return offset < most && nbytes <= most - offset ? mine + offset : NULL;
}

// ---------------------------------------------------------------- coarrays
static caf_coarray_t *new_coarray(size_t nbytes)
{
    caf_coarray_t *c = calloc(1, sizeof *c);
    if (!c)
        cwu_fatal("out of memory for a coarray's token");
    c->nbytes = nbytes;
    return c;
}

static void enter(caf_coarray_t *c, caf_team_t *team)
{
    c->team = team;
    c->again = team->again;
    c->next = team->coarrays;
    c->link = &team->coarrays;
    if (c->next)
        c->next->link = &c->next;
    team->coarrays = c;
}

void caf_release(caf_coarray_t *c)
{
    if (c->link) {
        *c->link = c->next;
        if (c->next)
            c->next->link = c->link;
    }
    if (c->mine && !c->of)
        cw_blocks_release(&blocks, c->mine);
    free(c->at);
    free(c);
}

caf_coarray_t *caf_associate(const caf_coarray_t *of, size_t offset)
{
    caf_coarray_t *c = new_coarray(of->nbytes - offset);
    c->mine = of->mine + offset;
    c->symmetric = of->symmetric ? of->symmetric + offset : 0;
    c->of = of;
    c->is_plain = of->is_plain;
    enter(c, caf.team);
    return c;
}

static void *take(size_t nbytes)
{
    void *memory = cw_blocks_alloc(&blocks, nbytes ? nbytes : 1);
    if (memory && CW_CHECKING())
        caf_component_renew(memory, nbytes);
    return memory;
}

caf_coarray_t *caf_register_static(size_t nbytes)
{
    caf_coarray_t *c = new_coarray(nbytes);
    if (!(c->mine = take(nbytes)))
        cwu_fatal("no memory for a static coarray of %zu bytes", nbytes);
    c->symmetric = (uintptr_t)c->mine;
    caf.statics = caf.statics * 31 + nbytes + (uint64_t)(c->mine - area(&(size_t){0}));
    enter(c, &caf.initial);
    return c;
}

/** What the images of a team say of a new coarray, and what they have said together. */
typedef struct offer {
    uint64_t at, not_at;          // offset, and its complement: the largest of both
    uint64_t nbytes, not_nbytes;  // as well
} offer_t;
_Static_assert(sizeof(offer_t) <= CW_COLL_SMALL, "one synchronisation");

static void combine_offers(const cw_fused_op_t *op, void *acc_p, const void *in_p)
{
    uint64_t *acc = acc_p;
    const uint64_t *in = in_p;
    (void)op;
    for (size_t i = 0; i < sizeof(offer_t) / sizeof *acc; i++)
        acc[i] = in[i] > acc[i] ? in[i] : acc[i];
}

/** All have their memory, of one size. */
static bool agree(const caf_status_t *status, caf_coarray_t *c, offer_t *offer)
{
    static const cw_fused_op_t op = {combine_offers};
    const size_t mine = c->nbytes;
    cw_fused(caf.group, offer, sizeof *offer, &op);
    if (offer->nbytes != ~offer->not_nbytes) {
        caf_fail(status, CAF_ERROR, "allocate",
                 "a coarray has %zu bytes here, and %llu elsewhere in the team", mine,
                 (unsigned long long)(offer->nbytes == mine ? ~offer->not_nbytes : offer->nbytes));
        return false;
    }
    if (offer->at == UINT64_MAX) {
        caf_fail(status, CAF_NO_MEMORY, "allocate",
                 "out of memory for a coarray of %zu bytes on %s image", mine,
                 c->mine ? "another" : "this");
        return false;
    }
    return true;
}

static void exchange_places(caf_coarray_t *c)
{
    const size_t n = (size_t)caf.group->size;
    char *base = area(&(size_t){0});
    if (!(c->at = calloc(n, sizeof *c->at)))
        cwu_fatal("out of memory for the places of a coarray in %zu images", n);
    uint64_t *all = (uint64_t *)c->at;
    _Static_assert(sizeof(uint64_t) == sizeof(uintptr_t), "one table");
    caf_exchange(caf.group, (uint64_t)(c->mine - base), all);
    for (size_t i = 0; i < n; i++)
        c->at[i] += (uintptr_t)base;
}

typedef struct allocation {
    const caf_status_t *status;
    caf_coarray_t *coarray;
    bool agreed;
} allocation_t;

static void allocate(void *arg)
{
    allocation_t *a = arg;
    caf_coarray_t *c = a->coarray;
    caf_agree(caf.group, "allocate");
    uint64_t at = c->mine ? (uint64_t)(c->mine - area(&(size_t){0})) : UINT64_MAX;
    offer_t offer = {at, ~at, c->nbytes, ~(uint64_t)c->nbytes};
    a->agreed = agree(a->status, c, &offer);
    if (a->agreed && offer.at == ~offer.not_at)
        c->symmetric = (uintptr_t)c->mine;
    else if (a->agreed)
        exchange_places(c);
}

caf_coarray_t *caf_allocate(const caf_status_t *status, size_t nbytes)
{
    if (!caf_enter(status, "allocate"))
        return NULL;
    allocation_t a = {status, new_coarray(nbytes), false};
    caf_coarray_t *c = a.coarray;
    c->mine = take(nbytes);
    bool whole = true;
    if (!caf_survives)
        whole = caf_act(status, "allocate", allocate, &a);
    else if (!caf_do_together(caf.team, "allocate", allocate, &a))
        whole = !caf_report_gone(status, "allocate", caf.team, (caf_passage_t){.failed = 1});
    if (!whole || !a.agreed) {
        caf_release(c);
        return NULL;
    }
    enter(c, caf.team);
    caf_succeed(status);
    return c;
}

bool caf_deallocate(const caf_status_t *status, caf_coarray_t *c)
{
    if (c->team != caf.team) {
        caf_fail(status, CAF_ERROR, "deallocate",
                 "the coarray was allocated in a team that is not the current one");
        return false;
    }
    caf_complete();
    const bool whole = caf_meet(status, "deallocate", "deallocate", CAF_GATE_STATEMENT, caf.team);
    caf_release(c);
    if (whole)
        caf_succeed(status);
    return true;
}

void caf_release_all(caf_team_t *team)
{
    while (team->coarrays && team->coarrays->again >= team->again)
        caf_release(team->coarrays);
}

// ---------------------------------------------------------------- memory of this image alone
void *caf_memory_allocate(const caf_status_t *status, size_t nbytes)
{
    void *memory = take(nbytes);
    if (memory)
        caf_succeed(status);
    else
        caf_fail(status, CAF_NO_MEMORY, "allocate", "out of memory for %zu bytes", nbytes);
    return memory;
}

bool caf_memory_release(void *memory)
{
    return cw_blocks_release(&blocks, memory);
}
