// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics, locks and events. Locks and events are words of 8 bytes, which the compiler counts.
#include <string.h>

#include "caf/event.h"
#include "caf/gfortran/gft.h"
#include "caf/gone.h"

enum { WORD = 8 };

GFT_API void _gfortran_caf_lock(gft_token_t token, size_t index, int image, int *acquired,
                                int *stat, char *errmsg, size_t errmsg_nbytes);
GFT_API void _gfortran_caf_unlock(gft_token_t token, size_t index, int image, int *stat,
                                  char *errmsg, size_t errmsg_nbytes);
GFT_API void _gfortran_caf_event_post(gft_token_t token, size_t index, int image, int *stat,
                                      char *errmsg, size_t errmsg_nbytes);
GFT_API void _gfortran_caf_event_wait(gft_token_t token, size_t index, int until, int *stat,
                                      char *errmsg, size_t errmsg_nbytes);
GFT_API void _gfortran_caf_event_query(gft_token_t token, size_t index, int image, int *count,
                                       int *stat);

static bool is_critical(gft_token_t token)
{
    const caf_coarray_t *c = token;
    return c && c->is_critical;
}

/** One image of all teams at a time executes a CRITICAL construct: its image 1 is that of the
 *  initial team, and may have failed. */
static bool find_lock(const caf_status_t *status, const char *statement, gft_token_t token,
                      size_t index, int image, int *pe_p, void **lock_p)
{
    if (is_critical(token))
        return gft_find_in(caf.initial.group, status, statement, token, index * WORD, image, pe_p,
                           lock_p);
    return gft_find_or_own(status, statement, token, index * WORD, image, pe_p, lock_p);
}

void _gfortran_caf_lock(gft_token_t token, size_t index, int image, int *acquired, int *stat,
                        char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    bool got = false;
    int pe;
    void *lock;
    if (find_lock(&status, "lock", token, index, image, &pe, &lock) &&
        (is_critical(token) || caf_may_name(&status, "lock", pe)))
        caf_lock(&status, "lock", pe, lock, acquired ? &got : NULL);
    if (acquired)
        *acquired = got;
}

void _gfortran_caf_unlock(gft_token_t token, size_t index, int image, int *stat, char *errmsg,
                          size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    int pe;
    void *lock;
    if (!find_lock(&status, "unlock", token, index, image, &pe, &lock))
        return;
    if (is_critical(token))
        caf_unlock(&status, "unlock", pe, lock);
    else
        caf_unlock_named(&status, "unlock", pe, lock);
}

/** On the fast path; 0: on the other one. */
static CW_ALWAYS_INLINE uintptr_t find_event(const caf_coarray_t *c, size_t index)
{
    const bool has =
        CW_LIKELY(c != NULL) && CW_LIKELY(index < c->nbytes / WORD) && CW_LIKELY(c->symmetric != 0);
    return has ? c->symmetric + index * WORD : 0;
}

static CW_NOINLINE void post(gft_token_t token, size_t index, int image, int *stat, char *errmsg,
                             size_t errmsg_nbytes)
{
    GFT_ENTER_AS("_gfortran_caf_event_post");
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    int pe;
    void *event;
    if (gft_find_or_own(&status, "event post", token, index * WORD, image, &pe, &event))
        caf_event_post(&status, pe, event);
}

void _gfortran_caf_event_post(gft_token_t token, size_t index, int image, int *stat, char *errmsg,
                              size_t errmsg_nbytes)
{
    const uintptr_t event = find_event(token, index);
    const unsigned pe = (unsigned)image - 1u;
    if (CW_UNLIKELY(pe >= caf.images || !event)) {
        post(token, index, image, stat, errmsg, errmsg_nbytes);
        return;
    }
    if (stat)
        *stat = 0;
    caf_post((int)pe, (uint64_t *)event);
}

static CW_NOINLINE void wait_for(gft_token_t token, size_t index, int until, int *stat,
                                 char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER_AS("_gfortran_caf_event_wait");
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    int pe;
    void *event;
    if (gft_find_or_own(&status, "event wait", token, index * WORD, 0, &pe, &event))
        caf_event_wait(&status, "event wait", event, until);
}

void _gfortran_caf_event_wait(gft_token_t token, size_t index, int until, int *stat, char *errmsg,
                              size_t errmsg_nbytes)
{
    const uintptr_t event = find_event(token, index);
    if (CW_UNLIKELY(!caf.plain || !event) || !caf_take_posts((uint64_t *)event, until))
        wait_for(token, index, until, stat, errmsg, errmsg_nbytes);
    else if (stat)
        *stat = 0;
}

void _gfortran_caf_event_query(gft_token_t token, size_t index, int image, int *count, int *stat)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, NULL, 0);
    int pe;
    void *event;
    if (!gft_find_or_own(&status, "event_query", token, index * WORD, image, &pe, &event))
        return;
    *count = (int)caf_event_query(pe, event);
    caf_succeed(&status);
}
