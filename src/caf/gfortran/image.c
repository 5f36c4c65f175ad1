// SPDX-License-Identifier: BSD-3-Clause
//
// Images: begin and end, numbers, image control, teams.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "caf/gfortran/gft.h"

GFT_API void _gfortran_caf_init(int *argc, char ***argv);
GFT_API void _gfortran_caf_finalize(void);
GFT_OLD_API int _gfortran_caf_this_image(int distance);
GFT_OLD_API int _gfortran_caf_num_images(int distance, int failed);
GFT_OLD_API void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t errmsg_nbytes);
GFT_OLD_API void _gfortran_caf_sync_memory(int *stat, char *errmsg, size_t errmsg_nbytes);
GFT_OLD_API void _gfortran_caf_sync_images(int count, int images[], int *stat, char *errmsg,
                                           size_t errmsg_nbytes);
GFT_API noreturn void _gfortran_caf_stop_numeric(int code, bool quiet);
GFT_API noreturn void _gfortran_caf_stop_str(const char *text, size_t nbytes, bool quiet);
GFT_API noreturn void _gfortran_caf_error_stop(int code, bool quiet);
GFT_API noreturn void _gfortran_caf_error_stop_str(const char *text, size_t nbytes, bool quiet);

// Of the compiler's own library, if the program has it. NULL: all units.
CW_WEAK extern void _gfortran_flush_i4(const int32_t *unit);

static void flush(void)
{
    if (_gfortran_flush_i4)
        _gfortran_flush_i4(NULL);
}

static bool is_routine(const char *symbol)
{
    return strncmp(symbol, "_gfortran_caf_", 14) == 0;
}

caf_door_t gft_door = {.stat = {[CAF_OK] = 0,
                                [CAF_LOCKED] = 1,
                                [CAF_UNLOCKED] = 0,
                                [CAF_LOCKED_OTHER] = 2,
                                [CAF_STOPPED] = 6000,
                                [CAF_FAILED] = 6001,
                                [CAF_TWICE] = 3,  // as OpenCoarrays has it
                                [CAF_NO_MEMORY] = 5014,
                                [CAF_ERROR] = 5014},
                       .flush = flush,
                       .init = "_gfortran_caf_init",
                       .finalize = "_gfortran_caf_finalize",
                       .is_routine = is_routine,
                       .survives = gft_survives,
                       .released = gft_released};

static CW_CONSTRUCTOR(101) void announce(void)
{
    caf_announce(&gft_door);
}

// ---------------------------------------------------------------- begin and end
void _gfortran_caf_init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    caf_start(&gft_door, "_gfortran_caf_init");
}

void _gfortran_caf_finalize(void)
{
    caf_leave("_gfortran_caf_finalize");
}

void _gfortran_caf_stop_numeric(int code, bool quiet)
{
    if (!quiet)
        caf_say_stop_code("STOP", code);
    caf_stop(code);
}

void _gfortran_caf_stop_str(const char *text, size_t nbytes, bool quiet)
{
    if (!quiet)
        caf_say_stop("STOP", text, nbytes);
    caf_stop(0);
}

void _gfortran_caf_error_stop(int code, bool quiet)
{
    if (!quiet)
        caf_say_stop_code("ERROR STOP", code);
    caf_error_stop(code);
}

void _gfortran_caf_error_stop_str(const char *text, size_t nbytes, bool quiet)
{
    if (!quiet)
        caf_say_stop("ERROR STOP", text, nbytes);
    caf_error_stop(1);
}

// ---------------------------------------------------------------- numbers
/** The team that many levels above the current one, the initial one at most. */
static const caf_team_t *ancestor(int distance)
{
    const caf_team_t *team = caf.team;
    while (distance-- > 0 && team->parent)
        team = team->parent;
    return team;
}

int _gfortran_caf_this_image(int distance)
{
    return ancestor(distance)->group->rank + 1;
}

/** failed: -1 all images, 0 those that have not failed, 1 those that have. */
int _gfortran_caf_num_images(int distance, int failed)
{
    const cw_group_t *group = ancestor(distance)->group;
    if (failed < 0)
        return group->size;
    const int nfailed = gft_count_images(group, CAF_FAILED);
    return failed ? nfailed : group->size - nfailed;
}

// ---------------------------------------------------------------- image control
void gft_sync_images(const caf_status_t *status, int count, const int *images)
{
    if (count < 0)
        caf_sync_every_image(status);
    else
        caf_sync_images(status, images, count);
}

/** For the SYNC statements gfortran 12 to 15 pass the address of a pointer to the characters. Text
 *  has no zero bytes, and the two highest bytes of an address are 0, so they differ. */
static caf_status_t status_of(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    uintptr_t pointer = 0;
    if (errmsg && (uintptr_t)errmsg % sizeof pointer == 0) {
        memcpy(&pointer, errmsg, sizeof pointer);
        if (pointer >> 47 == 0)
            errmsg = (char *)pointer;
    }
    return gft_status(stat, errmsg, errmsg_nbytes);
}

static CW_NOINLINE void sync_all(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER_AS("_gfortran_caf_sync_all");
    const caf_status_t status = status_of(stat, errmsg, errmsg_nbytes);
    gft_sync_all(&status);
}

void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    if (CW_UNLIKELY(!caf.plain || stat || gft_allocation_asks))
        sync_all(stat, errmsg, errmsg_nbytes);
    else
        caf_sync_team_plainly();
}

void gft_sync_all(const caf_status_t *status)
{
    static const caf_status_t deaf = {.cannot_ask = true};
    const bool allocates = gft_allocation_asks && !status->stat;
    gft_allocation_asks = false;
    caf_sync_all(allocates ? &deaf : status);
}

static CW_NOINLINE void sync_memory(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER_AS("_gfortran_caf_sync_memory");
    const caf_status_t status = status_of(stat, errmsg, errmsg_nbytes);
    caf_sync_memory(&status);
}

void _gfortran_caf_sync_memory(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    if (CW_UNLIKELY(!caf.plain)) {
        sync_memory(stat, errmsg, errmsg_nbytes);
        return;
    }
    if (stat)
        *stat = 0;
    caf_sync_own_memory();
}

static CW_NOINLINE void sync_images(int count, const int *images, int *stat, char *errmsg,
                                    size_t errmsg_nbytes)
{
    GFT_ENTER_AS("_gfortran_caf_sync_images");
    const caf_status_t status = status_of(stat, errmsg, errmsg_nbytes);
    gft_sync_images(&status, count, images);
}

void _gfortran_caf_sync_images(int count, int images[], int *stat, char *errmsg,
                               size_t errmsg_nbytes)
{
    if (CW_LIKELY(gft_syncs_one(count, stat)))
        caf_sync_image(*images);
    else
        sync_images(count, images, stat, errmsg, errmsg_nbytes);
}
