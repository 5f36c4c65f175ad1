// SPDX-License-Identifier: BSD-3-Clause
//
// Locks: a queue of images. The lock's word names the last one, and each image that waits has a
// place, in its own memory, into which the next one writes that it follows, and the one before it
// that the lock is free. So an image waits on its own memory.
//
//     word of a lock, `next` and `before` of a place:  0, or (PE + 1) << 32 | number of the place
//
// An image that was killed stays in the queue, and the image that follows looks after its place,
// which is there to be read: the lock is free if it held it, and else the image that frees the lock
// passes it on to the one behind. Only one thing cannot be found: which place was before that of an
// image that was killed between its entry into the queue and its next instructions.
#include "base/error.h"
#include "caf/gate.h"
#include "caf/transfer.h"
#include "core/progress/wait.h"
#include "core/world/deaths.h"

typedef struct place {
    CW_CACHE_ALIGNED uint64_t next;  // written by the image that follows
    uint64_t granted;                // written by the image before
    uint64_t before;                 // the place that it follows, 0: none; or UNKNOWN
    uint64_t *lock;                  // symmetric address; of this image alone, as the rest
    int pe;
    bool used;
} place_t;
_Static_assert(sizeof(place_t) == 64, "shared between processes");

#define UNKNOWN UINT64_MAX  // the image is about to enter the queue

static place_t *places(void)
{
    return caf_own(CAF_OWN_LOCKS);
}

static uint64_t word_of(const place_t *p)
{
    return ((uint64_t)cw_world.pe + 1) << 32 | (uint64_t)(p - places());
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

static place_t *take_place(const char *statement, int pe, uint64_t *lock)
{
    place_t *p = places();
    int i = 0;
    while (i < CAF_LOCK_PLACES && p[i].used)
        i++;
    if (i == CAF_LOCK_PLACES)
        caf_fatal(statement, "this image holds %d locks, which is the most", CAF_LOCK_PLACES);
    p[i] = (place_t){.lock = lock, .pe = pe, .used = true, .before = UNKNOWN};
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
                      (int)(word >> 32) - 1);
    cw_quiet_default();
}

// ---------------------------------------------------------------- images that were killed
static int pe_of(uint64_t word)
{
    return (int)(word >> 32) - 1;
}

static bool is_dead(uint64_t word)
{
    return cw_killed_by(pe_of(word)) != 0;
}

static place_t read_place(uint64_t word)
{
    place_t p;
    caf_get(&p, places() + (uint32_t)word, sizeof p, pe_of(word));
    return p;
}

static noreturn void fail_unknown(const char *statement, uint64_t word)
{
    caf_fatal(statement,
              "image %d of the initial team was killed while it was taking the lock, so it is not "
              "known which image has it",
              pe_of(word) + 1);
}

/** Does the place of an image that was killed hold the lock, or one that it follows, and all
 *  between were killed, too? */
static bool is_left(const char *statement, uint64_t word)
{
    while (word && is_dead(word)) {
        const place_t p = read_place(word);
        if (p.before == UNKNOWN)
            fail_unknown(statement, word);
        if (p.before == 0 || p.granted)
            return true;
        word = p.before;
    }
    return false;
}

/** The place of an image that was killed behind that one before it could say so there; 0: none. */
static uint64_t find_follower(const char *statement, const place_t *mine)
{
    for (int pe = 0; cw_deaths() && pe < cw_world.npes; pe++) {
        if (!cw_killed_by(pe))
            continue;
        for (uint32_t i = 0; i < CAF_LOCK_PLACES; i++) {
            const uint64_t word = ((uint64_t)pe + 1) << 32 | i;
            const place_t p = read_place(word);
            if (!p.used || p.lock != mine->lock || p.pe != mine->pe)
                continue;
            if (p.before == UNKNOWN)
                fail_unknown(statement, word);
            if (p.before == word_of(mine))
                return word;
        }
    }
    return 0;
}

static void await_turn(const char *statement, const place_t *mine)
{
    cw_wait_t w = CW_WAIT_FOR(statement, &mine->granted, sizeof mine->granted);
    while (!__atomic_load_n(&mine->granted, __ATOMIC_ACQUIRE)) {
        cw_wait_round(&w);
        if (w.slept && cw_deaths() && is_left(statement, mine->before))
            break;
    }
    cw_wait_done(&w);
}

/** The place that follows one of this image, or of an image that was killed. */
static uint64_t await_next(const char *statement, const place_t *p, uint64_t word)
{
    uint64_t next = 0;
    cw_wait_t w = CW_WAIT_INIT(statement);
    for (;;) {
        next = word == word_of(p) ? __atomic_load_n(&p->next, __ATOMIC_ACQUIRE)
                                  : read_place(word).next;
        if (next)
            break;
        cw_wait_round(&w);
        if (w.slept && word == word_of(p) && (next = find_follower(statement, p)))
            break;
    }
    cw_wait_done(&w);
    return next;
}

/** Passes the lock on behind that place, if any image waits that lives. */
static void pass_on(const char *statement, const place_t *p, uint64_t word)
{
    for (;;) {
        const uint64_t next = word == word_of(p) ? __atomic_load_n(&p->next, __ATOMIC_ACQUIRE)
                                                 : read_place(word).next;
        if (!next && compare_swap(p->lock, 0, word, p->pe) == word)
            return;
        word = await_next(statement, p, word);
        if (!is_dead(word)) {
            tell(word, offsetof(place_t, granted), 1);
            return;
        }
    }
}

// ---------------------------------------------------------------- statements
/** Takes the lock if it is free, or was left by an image that was killed, and none waits. */
static bool try_lock(const char *statement, place_t *p)
{
    p->before = 0;  // it enters the queue as the first one, or not at all
    uint64_t before = compare_swap(p->lock, word_of(p), 0, p->pe);
    if (before && cw_deaths() && is_left(statement, before))
        before = compare_swap(p->lock, word_of(p), before, p->pe) == before ? 0 : before;
    return before == 0;
}

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
    place_t *p = take_place(statement, pe, lock);
    if (acquired_p) {
        *acquired_p = p->used = try_lock(statement, p);
    } else {
        p->before = swap(lock, word_of(p), pe);
        if (p->before) {
            tell(p->before, offsetof(place_t, next), word_of(p));
            await_turn(statement, p);
            p->before = 0;
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
        uint64_t word =
            cw_amo_fetching(&cw_ctx_default, lock, CW_AMO_FETCH, sizeof *lock, 0, 0, pe);
        if (word)
            caf_fail(status, CAF_LOCKED_OTHER, statement, "PE %d has locked the variable",
                     (int)(word >> 32) - 1);
        else
            caf_fail(status, CAF_UNLOCKED, statement, "the variable is not locked");
        return;
    }
    pass_on(statement, p, word_of(p));
    p->used = false;
    caf_succeed(status);
}
