// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics, locks and events. Locks and events are words of 8 bytes, which the compiler counts.
#include <string.h>

#include "caf/gfortran/gft.h"

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

void _gfortran_caf_lock(gft_token_t token, size_t index, int image, int *acquired, int *stat,
                        char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    bool got = false;
    int pe;
    void *lock;
    if (gft_find_or_own(&status, "lock", token, index * WORD, image, &pe, &lock))
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
    if (gft_find_or_own(&status, "unlock", token, index * WORD, image, &pe, &lock))
        caf_unlock(&status, "unlock", pe, lock);
}

void _gfortran_caf_event_post(gft_token_t token, size_t index, int image, int *stat, char *errmsg,
                              size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    int pe;
    void *event;
    if (gft_find_or_own(&status, "event post", token, index * WORD, image, &pe, &event))
        caf_event_post(&status, pe, event);
}

void _gfortran_caf_event_wait(gft_token_t token, size_t index, int until, int *stat, char *errmsg,
                              size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    int pe;
    void *event;
    if (gft_find_or_own(&status, "event wait", token, index * WORD, 0, &pe, &event))
        caf_event_wait(&status, "event wait", event, until);
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
