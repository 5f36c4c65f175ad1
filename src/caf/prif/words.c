// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics, locks, critical constructs, events, notifications: words of 8 bytes. With c NULL, place
// is an address in the image, an image of the initial team.
#include "caf/event.h"
#include "caf/gone.h"
#include "caf/prif/prf.h"

enum { WORD = 8 };

PRF_API int causeway_prif_atomic(int op, int image, const prf_coarray_t *c, size_t place,
                                 int64_t value, int64_t compare, int64_t *old_p, int *stat);
PRF_API int causeway_prif_lock(int image, const prf_coarray_t *c, size_t place, bool *acquired_p,
                               int *stat);
PRF_API int causeway_prif_unlock(int image, const prf_coarray_t *c, size_t place, int *stat);
PRF_API int causeway_prif_critical(const prf_coarray_t *c, int *stat);
PRF_API void causeway_prif_end_critical(const prf_coarray_t *c);
PRF_API int causeway_prif_event_post(int image, const prf_coarray_t *c, size_t place, int *stat);
PRF_API int causeway_prif_event_wait(bool notify, uint64_t *event, int64_t until, int *stat);
PRF_API int causeway_prif_event_query(uint64_t *event, int64_t *count_p, int *stat);

static bool find_word(const caf_status_t *status, const char *call, int image,
                      const prf_coarray_t *c, size_t place, int *pe_p, uint64_t **word_p)
{
    void *addr;
    if (!prf_find(status, call, image, c, place, WORD, pe_p, &addr))
        return false;
    *word_p = addr;
    if ((uintptr_t)addr % WORD == 0)
        return true;
    caf_fail(status, CAF_ERROR, call, "the variable is not aligned to %d bytes", WORD);
    return false;
}

/** op: as the module numbers them. old_p: NULL, or what the word was. */
int causeway_prif_atomic(int op, int image, const prf_coarray_t *c, size_t place, int64_t value,
                         int64_t compare, int64_t *old_p, int *stat)
{
    static const cw_amo_op_t ops[] = {CW_AMO_SWAP, CW_AMO_FETCH, CW_AMO_CSWAP, CW_AMO_ADD,
                                      CW_AMO_AND,  CW_AMO_OR,    CW_AMO_XOR};
    PRF_ENTER("prif_atomic");
    const caf_status_t status = prf_status(stat);
    int pe;
    uint64_t *word;
    if (!find_word(&status, "an atomic subroutine", image, c, place, &pe, &word))
        return prf_outcome(stat);
    const uint64_t old = caf_atomic(word, ops[op], WORD, (uint64_t)value, (uint64_t)compare, pe);
    if (old_p)
        *old_p = (int64_t)old;
    caf_succeed_at(&status, pe);
    return prf_outcome(stat);
}

// ---------------------------------------------------------------- locks
int causeway_prif_lock(int image, const prf_coarray_t *c, size_t place, bool *acquired_p, int *stat)
{
    PRF_ENTER("prif_lock");
    const caf_status_t status = prf_status(stat);
    int pe;
    uint64_t *lock;
    if (acquired_p)
        *acquired_p = false;
    if (find_word(&status, "lock", image, c, place, &pe, &lock) &&
        caf_may_name(&status, "lock", pe))
        caf_lock(&status, "lock", pe, lock, acquired_p);
    return prf_outcome(stat);
}

int causeway_prif_unlock(int image, const prf_coarray_t *c, size_t place, int *stat)
{
    PRF_ENTER("prif_unlock");
    const caf_status_t status = prf_status(stat);
    int pe;
    uint64_t *lock;
    if (find_word(&status, "unlock", image, c, place, &pe, &lock))
        caf_unlock_named(&status, "unlock", pe, lock);
    return prf_outcome(stat);
}

/** The coarray is one of the initial team; its variable in the first image is the lock. */
int causeway_prif_critical(const prf_coarray_t *c, int *stat)
{
    PRF_ENTER("prif_critical");
    const caf_status_t status = prf_status(stat);
    int pe;
    uint64_t *lock;
    if (prf_is_allocated(&status, "critical", c) &&
        find_word(&status, "critical", 1, c, 0, &pe, &lock))
        caf_lock(&status, "critical", pe, lock, NULL);
    return prf_outcome(stat);
}

void causeway_prif_end_critical(const prf_coarray_t *c)
{
    PRF_ENTER("prif_end_critical");
    static const caf_status_t none;
    int pe;
    uint64_t *lock;
    prf_want("end critical", c);
    if (find_word(&none, "end critical", 1, c, 0, &pe, &lock))
        caf_unlock(&none, "end critical", pe, lock);
}

// ---------------------------------------------------------------- events
static CW_NOINLINE int post(int image, const prf_coarray_t *c, size_t place, int *stat)
{
    PRF_ENTER("prif_event_post");
    const caf_status_t status = prf_status(stat);
    int pe;
    uint64_t *event;
    if (find_word(&status, "event post", image, c, place, &pe, &event))
        caf_event_post(&status, pe, event);
    return prf_outcome(stat);
}

int causeway_prif_event_post(int image, const prf_coarray_t *c, size_t place, int *stat)
{
    void *event;
    if (CW_UNLIKELY(!caf.plain || !prf_find_plain(c, place, WORD, image, &event) ||
                    (uintptr_t)event % WORD != 0))
        return post(image, c, place, stat);
    if (stat)
        *stat = 0;
    caf_post(image - 1, event);
    return 0;
}

/** False: reported. */
static bool is_own(const caf_status_t *status, const char *call, const uint64_t *event)
{
    if (caf_is_mine(event) && (uintptr_t)event % WORD == 0)
        return true;
    caf_fail(status, CAF_ERROR, call,
             "the variable is not in memory of prif_allocate or prif_allocate_coarray");
    return false;
}

static CW_NOINLINE int wait_for(bool notify, uint64_t *event, int64_t until, int *stat)
{
    const char *call = notify ? "notify wait" : "event wait";
    PRF_ENTER(notify ? "prif_notify_wait" : "prif_event_wait");
    const caf_status_t status = prf_status(stat);
    if (is_own(&status, call, event))
        caf_event_wait(&status, call, event, until);
    return prf_outcome(stat);
}

int causeway_prif_event_wait(bool notify, uint64_t *event, int64_t until, int *stat)
{
    if (CW_UNLIKELY(!caf.plain || !caf_is_mine_there(event) || (uintptr_t)event % WORD != 0) ||
        !caf_take_posts(event, until))
        return wait_for(notify, event, until, stat);
    if (stat)
        *stat = 0;
    return 0;
}

int causeway_prif_event_query(uint64_t *event, int64_t *count_p, int *stat)
{
    PRF_ENTER("prif_event_query");
    const caf_status_t status = prf_status(stat);
    if (is_own(&status, "event_query", event)) {
        *count_p = caf_event_query(cw_world.pe, event);
        caf_succeed(&status);
    }
    return prf_outcome(stat);
}
