// SPDX-License-Identifier: BSD-3-Clause
//
// Locks: a queue of images. The lock's word names the last one, and each image that waits has a
// place, in its own memory, into which the next one writes that it follows, and the one before it
// that the lock is free. So an image waits on its own memory.
//
//     word of a lock, `next` and `before` of a place:  0, or (PE + 1) << 32 | number of the place
//
// Where the job goes on when an image is killed, there is no queue: a lock's word names the image
// that has it, the others try again, and one that was killed has it no more. No image depends on
// what another one was about to write.
#include "caf/gone.h"
#include "caf/transfer.h"
#include "core/progress/wait.h"
#include "core/world/deaths.h"

typedef struct place {
    CW_CACHE_ALIGNED uint64_t next;  // written by the image that follows
    uint64_t granted;                // written by the image before
    uint64_t *lock;                  // symmetric address; of this image alone, as the rest
    int pe;
    bool used;
} place_t;
_Static_assert(sizeof(place_t) == 64, "shared between processes");

static place_t *places(void)
{
    return caf_own(CAF_OWN_LOCKS);
}

static uint64_t word_of(const place_t *p)
{
    return ((uint64_t)cw_world.pe + 1) << 32 | (uint64_t)(p - places());
}

static int pe_of(uint64_t word)
{
    return (int)(word >> 32) - 1;
}

/** For reports: a wait for that lock, which PE `behind` has or waits for. */
static cw_wait_on_t lock_of(const place_t *p, int behind)
{
    return (cw_wait_on_t){
        .kind = CW_WAIT_LOCK, .behind = behind, .addr = p->lock, .index = (size_t)p->pe};
}

/** The place by which this image holds the lock, or NULL. */
static place_t *find_held(int pe, const uint64_t *lock)
{
    place_t *p = places();
    for (int i = 0; i < CAF_LOCK_PLACES; i++)
        if (p[i].used && p[i].lock == lock && p[i].pe == pe)
            return &p[i];
    return NULL;
}

/** NULL: reported. */
static place_t *take_place(const caf_status_t *status, const char *statement, int pe,
                           uint64_t *lock)
{
    place_t *p = places();
    int i = 0;
    while (i < CAF_LOCK_PLACES && p[i].used)
        i++;
    if (i == CAF_LOCK_PLACES) {
        caf_fail(status, CAF_ERROR, statement, "this image holds %d locks, which is the most",
                 CAF_LOCK_PLACES);
        return NULL;
    }
    p[i] = (place_t){.lock = lock, .pe = pe, .used = true};
    return &p[i];
}

static uint64_t swap(uint64_t *lock, uint64_t value, int pe)
{
    return cw_amo_fetching(&cw_ctx_default, lock, CW_AMO_SWAP, sizeof *lock, value, 0, pe);
}

static uint64_t compare_swap(uint64_t *lock, uint64_t value, uint64_t compare, int pe)
{
    return cw_amo_fetching(&cw_ctx_default, lock, CW_AMO_CSWAP, sizeof *lock, value, compare, pe);
}

/** Writes a word of the place that `word` names. */
static void tell(uint64_t word, size_t member, uint64_t value)
{
    char *place = (char *)(places() + (uint32_t)word);
    cw_amo_signalling(&cw_ctx_default, place + member, CW_AMO_SET, sizeof value, value,
                      pe_of(word));
    cw_quiet_default();
}

/** on: the lock, or NULL. */
static void await(const char *statement, const uint64_t *word, const cw_wait_on_t *on)
{
    cw_wait_t w = CW_WAIT_FOR(statement, word, sizeof *word);
    w.on = on;
    while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
        cw_wait_round(&w);
    cw_wait_done(&w);
}

// ---------------------------------------------------------------- where images may be killed
static uint64_t owner_of(uint64_t *lock, int pe)
{
    return cw_amo_fetching(&cw_ctx_default, lock, CW_AMO_FETCH, sizeof *lock, 0, 0, pe);
}

/** Of a lock with that owner: there is none, or its image was killed. */
static bool is_free(uint64_t owner)
{
    return !owner || cw_killed_by(pe_of(owner));
}

/** *owner_p: the PE that has it. */
static bool take(const place_t *p, int *owner_p)
{
    uint64_t owner = compare_swap(p->lock, word_of(p), 0, p->pe);
    *owner_p = pe_of(owner);
    if (owner && is_free(owner))
        return compare_swap(p->lock, word_of(p), owner, p->pe) == owner;
    return owner == 0;
}

/** The image that has locked it has stopped, and has it still: its last statements are done. */
static bool is_stuck(const place_t *p, uint64_t owner)
{
    return !is_free(owner) && caf_image_state(pe_of(owner)) == CAF_STOPPED &&
           owner_of(p->lock, p->pe) == owner;
}

/** Looks before it tries again: a swap wakes the image of the lock, which may be this one. -1: it
 *  has the lock; else the PE that has it for ever, since its image has stopped. */
static int take_in_turn(const char *statement, const place_t *p)
{
    cw_wait_t w = CW_WAIT_INIT(statement);
    cw_wait_on_t on = lock_of(p, 0);
    w.on = &on;
    bool taken = take(p, &on.behind), stuck = false;
    while (!taken && !stuck) {
        cw_wait_round(&w);
        const uint64_t owner = owner_of(p->lock, p->pe);
        on.behind = pe_of(owner);
        taken = is_free(owner) && take(p, &on.behind);
        stuck = !taken && w.slept && is_stuck(p, owner);
    }
    cw_wait_done(&w);
    return stuck ? on.behind : -1;
}

// ---------------------------------------------------------------- statements
void caf_lock(const caf_status_t *status, const char *statement, int pe, uint64_t *lock,
              bool *acquired_p)
{
    caf_complete();
    if (acquired_p)
        *acquired_p = false;
    if (find_held(pe, lock)) {
        caf_fail(status, CAF_LOCKED, statement, "this image has locked the variable already");
        return;
    }
    place_t *p = take_place(status, statement, pe, lock);
    if (!p)
        return;
    if (acquired_p) {
        int owner;
        cw_wait_will_try();
        *acquired_p = p->used = take(p, &owner);
        if (!p->used)
            cw_wait_tested();  // programs try in loops
    } else if (caf_survives) {
        caf_name_t name;
        const int stopped = take_in_turn(statement, p);
        p->used = stopped < 0;
        if (!p->used) {
            caf_fail(status, CAF_STOPPED, statement,
                     "%s, which has locked the variable, has stopped",
                     caf_image_name(stopped, name));
            return;
        }
    } else {
        uint64_t before = swap(lock, word_of(p), pe);
        if (before) {
            tell(before, offsetof(place_t, next), word_of(p));
            const cw_wait_on_t on = lock_of(p, pe_of(before));
            await(statement, &p->granted, &on);
        }
    }
    caf_succeed(status);
}

void caf_release_locks(void)
{
    static const caf_status_t none;
    place_t *p = places();
    for (int i = 0; i < CAF_LOCK_PLACES; i++)
        if (p[i].used)
            caf_unlock(&none, "fail image", p[i].pe, p[i].lock);
}

void caf_unlock(const caf_status_t *status, const char *statement, int pe, uint64_t *lock)
{
    place_t *p = find_held(pe, lock);
    caf_complete();
    if (!p) {
        caf_name_t name;
        const uint64_t word = owner_of(lock, pe);
        if (!is_free(word))
            caf_fail(status, CAF_LOCKED_OTHER, statement, "%s has locked the variable",
                     caf_image_name(pe_of(word), name));
        else
            caf_fail(status, CAF_UNLOCKED, statement, "the variable is not locked");
        return;
    }
    if (__atomic_load_n(&p->next, __ATOMIC_ACQUIRE) ||
        (compare_swap(lock, 0, word_of(p), pe) != word_of(p) && !caf_survives)) {
        await(statement, &p->next, NULL);  // an image is about to write that it follows
        tell(__atomic_load_n(&p->next, __ATOMIC_ACQUIRE), offsetof(place_t, granted), 1);
    }
    if (caf_survives)
        caf_wake_node();
    p->used = false;
    cw_wait_released(pe);
    caf_succeed(status);
}

/** The others wait for it, wherever it is. */
void caf_unlock_named(const caf_status_t *status, const char *statement, int pe, uint64_t *lock)
{
    const bool held = find_held(pe, lock) != NULL;
    if (held || caf_may_name(status, statement, pe))
        caf_unlock(status, statement, pe, lock);
    if (held)
        (void)caf_may_name(status, statement, pe);
}
