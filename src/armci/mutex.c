// SPDX-License-Identifier: BSD-3-Clause
//
// Mutexes: queues by one-sided atomics (MCS), so processes get a mutex in the order in which they
// asked, and each waits on a word of its own.
//
//     tail   in the owner, one for each mutex: the last place in the queue; 0: the mutex is free
//     place  in the process that waits or holds, one for each mutex that it does so with, in the
//            front end's own memory: bit 63 set while it must wait; below, the place behind it
//
// A place is stored as (process + 1) << 16 | its number there. A process swaps its place into the
// tail; behind another one it writes itself into that place and waits until its own bit 63 is
// clear. Unlock completes what the process did, so that the next holder sees it, then clears bit 63
// of the place behind it. A place is 0 while it is not in use.
//
// What this process holds, and where it waits, stands in a table by places, for checks and for
// unlock. Threads: any; two threads of a process may want one mutex.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "armci/group.h"
#include "base/error.h"
#include "core/observe/check.h"

#include "armcix.h"

#define MUST_WAIT (UINT64_C(1) << 63)
_Static_assert(ACI_PLACES <= 1 << 16, "the number of a place in a word");

typedef struct place {
    uint64_t link;
    uint64_t pad[ACI_PLACE_NBYTES / 8 - 1];
} place_t;
_Static_assert(sizeof(place_t) == ACI_PLACE_NBYTES, "a line each");

typedef struct armcix_mutex_set {
    const cw_group_t *team;
    struct armcix_mutex_set *next;
    uintptr_t *tails;  // [members] where the owner has its tails; 0: none
    uintptr_t *count;  // [members] how many
} set_t;

typedef struct claim {
    const set_t *set;  // NULL: the place is free
    int mutex, proc;
    bool held;
    pthread_t thread;
} claim_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the three below
static claim_t claims[ACI_PLACES] CW_LARGE;
static int nclaims;   // all claims from there on are free
static set_t *sets;   // live ones
static set_t *plain;  // of ARMCI_Create_mutexes; by one thread at a time

// ---------------------------------------------------------------- sets
static set_t *create(const char *call, int count, const cw_group_t *team)
{
    uint64_t *tails = NULL;
    set_t *set = calloc(1, sizeof *set);
    if (count < 0)
        aci_fail(call, "%d mutexes", count);
    aci_agree(team, call);
    if (set) {
        set->team = team;
        set->tails = calloc((size_t)team->size, sizeof *set->tails);
        set->count = calloc((size_t)team->size, sizeof *set->count);
    }
    if (count)
        tails = aci_alloc((size_t)count * sizeof *tails);
    if (!set || !set->tails || !set->count || (count && !tails))
        cwu_fatal("%s: out of memory for %d mutexes", call, count);
    for (int i = 0; i < count; i++)
        __atomic_store_n(&tails[i], 0, __ATOMIC_RELAXED);
    aci_exchange(team, (uintptr_t)tails, set->tails);  // behind it others may ask for them
    aci_exchange(team, (uintptr_t)count, set->count);
    pthread_mutex_lock(&lock);
    set->next = sets;
    sets = set;
    pthread_mutex_unlock(&lock);
    return set;
}

/** Under the lock. */
static set_t **find_set(const set_t *set)
{
    set_t **at = &sets;
    while (*at && *at != set)
        at = &(*at)->next;
    return at;
}

static void check_unused(const char *call, const set_t *set)
{
    for (int i = 0; i < nclaims; i++)
        if (claims[i].set == set)
            aci_fail(call, "this process %s mutex %d of process %d",
                     claims[i].held ? "still holds" : "waits for", claims[i].mutex, claims[i].proc);
}

static void destroy(const char *call, set_t *set)
{
    pthread_mutex_lock(&lock);
    set_t **at = find_set(set);
    if (!set || !*at)
        aci_fail(call, "the mutexes were not created, or are destroyed already");
    check_unused(call, set);
    *at = set->next;
    pthread_mutex_unlock(&lock);
    aci_release_all(call, set->team, (void *)set->tails[set->team->rank]);
    free(set->tails);
    free(set->count);
    free(set);
}

// ---------------------------------------------------------------- one mutex
typedef struct wanted {
    const char *call;
    const set_t *set;
    int mutex, proc;
    uint64_t *tail;  // symmetric
} wanted_t;

static wanted_t want(const char *call, const set_t *set, int mutex, int proc)
{
    aci_check_proc(call, proc);
    pthread_mutex_lock(&lock);
    bool live = set && *find_set(set);
    pthread_mutex_unlock(&lock);
    if (!live)
        aci_fail(call, "mutex %d of process %d: the mutexes were not created, or are destroyed",
                 mutex, proc);
    const int rank = cw_group_rank_of(set->team, proc);
    if (rank < 0)
        aci_fail(call, "process %d is no member of the group that created the mutexes", proc);
    if (mutex < 0 || (uintptr_t)mutex >= set->count[rank])
        aci_fail(call, "mutex %d does not exist; process %d has %zu", mutex, proc,
                 (size_t)set->count[rank]);
    const uint64_t *tail = (const uint64_t *)set->tails[rank] + mutex;
    return (wanted_t){call, set, mutex, proc,
                      (uint64_t *)(void *)cw_owner_symmetric(&aci_owner, (uint32_t)proc, tail)};
}

static bool is_for(const claim_t *claim, const wanted_t *w)
{
    return claim->set == w->set && claim->mutex == w->mutex && claim->proc == w->proc;
}

/** A place for this thread, which must not have the mutex already. */
static int take_place(const wanted_t *w)
{
    pthread_mutex_lock(&lock);
    int place = nclaims;
    for (int i = nclaims - 1; i >= 0; i--) {
        if (!claims[i].set)
            place = i;
        else if (is_for(&claims[i], w) && pthread_equal(claims[i].thread, pthread_self()))
            aci_fail(w->call, "this process holds mutex %d of process %d already", w->mutex,
                     w->proc);
    }
    if (place == ACI_PLACES)
        aci_fail(w->call, "this process holds %d mutexes, and cannot hold more", ACI_PLACES);
    nclaims += place == nclaims;
    claims[place] = (claim_t){w->set, w->mutex, w->proc, false, pthread_self()};
    pthread_mutex_unlock(&lock);
    return place;
}

/** The place by which this process has the mutex, which counts as held no more: another thread may
 *  have the mutex before this one is done with the place. */
static int let_go(const wanted_t *w)
{
    int place = 0;
    pthread_mutex_lock(&lock);
    while (place < nclaims && !(claims[place].held && is_for(&claims[place], w)))
        place++;
    bool found = place < nclaims;
    if (found) {
        claims[place].held = false;
        claims[place].thread = pthread_self();  // the one that locked may want it again
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        aci_fail(w->call, "this process does not hold mutex %d of process %d", w->mutex, w->proc);
    return place;
}

static void set_claim(int place, bool held)
{
    pthread_mutex_lock(&lock);
    if (held)
        claims[place].held = true;
    else
        claims[place] = (claim_t){.set = NULL};
    while (nclaims > 0 && !claims[nclaims - 1].set)
        nclaims--;
    pthread_mutex_unlock(&lock);
}

// ---------------------------------------------------------------- the queue
static place_t *place_at(int number)
{
    size_t nbytes;
    return (place_t *)aci_own(ACI_OWN_MUTEXES, &nbytes) + number;
}

static uint64_t name_of(int place)
{
    return ((uint64_t)cw_world.pe + 1) << 16 | (uint64_t)place;
}

static int pe_of(uint64_t name)
{
    return (int)(name >> 16) - 1;
}

static uint64_t *link_of(uint64_t name)
{
    return &place_at((int)(name & 0xffff))->link;
}

static uint64_t atomic(uint64_t *word, cw_amo_op_t op, uint64_t operand, uint64_t compare, int pe)
{
    return cw_amo_fetching(&cw_ctx_default, word, op, sizeof *word, operand, compare, pe);
}

static uint64_t own_link(const uint64_t *link)
{
    return __atomic_load_n(link, __ATOMIC_ACQUIRE);  // pairs with the atomics of other processes
}

static void wait_for_turn(const wanted_t *wanted, uint64_t mine, uint64_t before)
{
    uint64_t *link = link_of(mine);
    atomic(link_of(before), CW_AMO_OR, mine, 0, pe_of(before));
    cw_wait_t w = CW_WAIT_FOR(wanted->call, link, sizeof *link);
    cw_wait_on_t on = {.kind = CW_WAIT_LOCK,
                       .behind = pe_of(before),
                       .addr = wanted->tail,
                       .index = (size_t)wanted->proc};
    w.on = &on;
    while (own_link(link) & MUST_WAIT)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

static void acquire(const wanted_t *wanted)
{
    const int place = take_place(wanted);
    const uint64_t mine = name_of(place);
    atomic(link_of(mine), CW_AMO_SET, MUST_WAIT, 0, cw_world.pe);
    uint64_t before = atomic(wanted->tail, CW_AMO_SWAP, mine, 0, wanted->proc);
    if (before)
        wait_for_turn(wanted, mine, before);
    set_claim(place, true);
}

static bool try(const wanted_t *wanted)
{
    const int place = take_place(wanted);
    const uint64_t mine = name_of(place);
    atomic(link_of(mine), CW_AMO_SET, MUST_WAIT, 0, cw_world.pe);
    cw_wait_will_try();
    bool free = atomic(wanted->tail, CW_AMO_CSWAP, mine, 0, wanted->proc) == 0;
    if (!free) {
        atomic(link_of(mine), CW_AMO_SET, 0, 0, cw_world.pe);
        cw_wait_tested();
    }
    set_claim(place, free);
    return free;
}

/** The place behind, once it is written down if its process is in the queue; 0: there is none. */
static uint64_t behind(const wanted_t *wanted, uint64_t mine)
{
    uint64_t *link = link_of(mine);
    if (!(own_link(link) & ~MUST_WAIT) &&
        atomic(wanted->tail, CW_AMO_CSWAP, 0, mine, wanted->proc) == mine)
        return 0;
    cw_wait_t w = CW_WAIT_FOR(wanted->call, link, sizeof *link);
    while (!(own_link(link) & ~MUST_WAIT))
        cw_wait_round(&w);
    cw_wait_done(&w);
    return own_link(link) & ~MUST_WAIT;
}

static void release(const wanted_t *wanted)
{
    const int place = let_go(wanted);
    const uint64_t mine = name_of(place);
    aci_order_complete("ARMCI_Unlock");
    const uint64_t next = behind(wanted, mine);
    atomic(link_of(mine), CW_AMO_SET, 0, 0, cw_world.pe);
    set_claim(place, false);
    if (next)
        atomic(link_of(next), CW_AMO_AND, ~MUST_WAIT, 0, pe_of(next));
    cw_wait_released(wanted->proc);
}

void aci_mutexes_left(void)
{
    for (int i = 0; i < nclaims; i++)
        if (claims[i].held)
            cw_check_leak("mutex", "mutex %d of process %d is still held by process %d; %s it",
                          claims[i].mutex, claims[i].proc, cw_world.pe,
                          claims[i].set == plain ? "ARMCI_Unlock" : "ARMCIX_Unlock_hdl");
}

void aci_mutexes_close(void)
{
    for (int i = 0; i < nclaims; i++)
        place_at(i)->link = 0;  // the memory may serve again
    nclaims = 0;
    memset(claims, 0, sizeof claims);
    plain = NULL;
    while (sets) {
        set_t *next = sets->next;
        free(sets->tails);
        free(sets->count);
        free(sets);
        sets = next;
    }
}

// ---------------------------------------------------------------- calls
ACI_API int PARMCI_Create_mutexes(int count)
{
    ACI_ENTER();
    if (plain)
        aci_fail(aci_call(__func__), "there are mutexes already; call ARMCI_Destroy_mutexes first");
    plain = create(aci_call(__func__), count, cw_group_world);
    return 0;
}
ACI_WEAK(ARMCI_Create_mutexes);

ACI_API int PARMCI_Destroy_mutexes(void)
{
    ACI_ENTER();
    destroy(aci_call(__func__), plain);
    plain = NULL;
    return 0;
}
ACI_WEAK(ARMCI_Destroy_mutexes);

ACI_API void PARMCI_Lock(int mutex, int proc)
{
    ACI_ENTER();
    const wanted_t wanted = want(aci_call(__func__), plain, mutex, proc);
    acquire(&wanted);
}
ACI_WEAK(ARMCI_Lock);

ACI_API void PARMCI_Unlock(int mutex, int proc)
{
    ACI_ENTER_WITH(aci_watch_fence(__func__, -1));
    const wanted_t wanted = want(aci_call(__func__), plain, mutex, proc);
    release(&wanted);
}
ACI_WEAK(ARMCI_Unlock);

ACI_API armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *pgroup)
{
    ACI_ENTER();
    return create(__func__, count, aci_group_of(__func__, pgroup)->team);
}

ACI_API int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl)
{
    ACI_ENTER();
    destroy(__func__, hdl);
    return 0;
}

ACI_API void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    ACI_ENTER();
    const wanted_t wanted = want(__func__, hdl, mutex, proc);
    acquire(&wanted);
}

ACI_API int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    ACI_ENTER();
    const wanted_t wanted = want(__func__, hdl, mutex, proc);
    return !try(&wanted);
}

ACI_API void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    ACI_ENTER_WITH(aci_watch_fence(__func__, -1));
    const wanted_t wanted = want(__func__, hdl, mutex, proc);
    release(&wanted);
}

ACI_API void ARMCIX_Progress(void)
{
    ACI_ENTER();
    cw_progress();
}
