// SPDX-License-Identifier: BSD-3-Clause
//
// The door of gfortran: what its compiler calls with -fcoarray=lib, in GCC 12 to 16. Descriptors,
// vectors (caf/descriptor.h) and references are laid out as the compiler does (chapter "Coarray
// Programming" of its manual).
//
// Each entry point is thin: it finds the image and the place, and calls src/caf.
#ifndef GFT_H
#define GFT_H

#include "caf/descriptor.h"
#include "caf/transfer.h"

#define GFT_API CW_EXPORTED
// Of GCC 12 to 15. GCC 16 passes other arguments (gcc16.h): an archive finds its own first
#define GFT_OLD_API CW_EXPORTED CW_WEAK

typedef void *gft_token_t;  // caf_coarray_t *

extern caf_door_t gft_door CW_HIDDEN;

/** First statement of an entry point, for observers; not of assignments, whose instructions count.
 *  Not before the job is joined. */
#define GFT_ENTER() GFT_ENTER_AS(__func__)
#define GFT_ENTER_AS(name) CW_WATCH(cw_watch_call(name))

/** SYNC IMAGES; count -1: all of the current team. (image.c) */
void gft_sync_images(const caf_status_t *status, int count, const int *images);
/** SYNC IMAGES of that form which is caf_sync_image: without stat= an errmsg= says nothing. */
static CW_ALWAYS_INLINE bool gft_syncs_one(int count, const int *stat)
{
    return count == 1 && !stat && caf.plain;
}
/** Of a coarray whose team ends. (memory.c) */
void gft_released(const caf_coarray_t *coarray);
/** Those of a group that have ended so. (gone.c) */
int gft_count_images(const cw_group_t *group, caf_code_t code);
/** IMAGE_STATUS, and an allocatable of those of a group that have ended so; kind: NULL, 4. */
int gft_image_status(const cw_group_t *group, int image);
void gft_list_images(caf_descriptor_t *list, const cw_group_t *group, const int *kind,
                     caf_code_t code);
/** The program asks for them. (gone.c) */
bool gft_survives(void);
/** Of the program, or what the compiler puts behind each ALLOCATE, without the stat= of that. */
void gft_sync_all(const caf_status_t *status);
/** An ALLOCATE has a stat=, and that statement behind it is still to come. */
extern bool gft_allocation_asks CW_HIDDEN;
/** What this image was asked for last whether it is allocated here. GCC 16 asks so before END TEAM,
 *  and deallocates what is, without the stat= of that. */
extern gft_token_t gft_found_allocated CW_HIDDEN;

/** stat= and errmsg= of a statement. */
static inline caf_status_t gft_status(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    return (caf_status_t){.stat = stat, .errmsg = errmsg, .errmsg_nbytes = errmsg_nbytes};
}

/** A subscript is out of bounds. (access.c) */
noreturn void gft_wrong_offset(const char *statement, const caf_coarray_t *coarray,
                               size_t offset) CW_COLD;

/** An image of the team and a byte of a coarray there. False: reported. */
static CW_ALWAYS_INLINE bool gft_find_in(const cw_group_t *group, const caf_status_t *status,
                                         const char *statement, gft_token_t token, size_t offset,
                                         int image, int *pe_p, void **addr_p)
{
    const caf_coarray_t *coarray = token;
    if (CW_UNLIKELY(!coarray)) {
        caf_fail(status, CAF_ERROR, statement, "the coarray is not allocated");
        return false;
    }
    if (CW_UNLIKELY(offset >= coarray->nbytes))
        gft_wrong_offset(statement, coarray, offset);
    if (CW_UNLIKELY(!caf_want_pe(status, statement, group, image, pe_p)))
        return false;
    *addr_p = caf_at(coarray, *pe_p, offset);
    return true;
}

/** The same in the current team. */
static CW_ALWAYS_INLINE bool gft_find(const caf_status_t *status, const char *statement,
                                      gft_token_t token, size_t offset, int image, int *pe_p,
                                      void **addr_p)
{
    return gft_find_in(caf.group, status, statement, token, offset, image, pe_p, addr_p);
}

/** The same, where the compiler passes image 0 for a variable of this image. */
static CW_ALWAYS_INLINE bool gft_find_or_own(const caf_status_t *status, const char *statement,
                                             gft_token_t token, size_t offset, int image, int *pe_p,
                                             void **addr_p)
{
    return gft_find(status, statement, token, offset, image ? image : caf_this_image(), pe_p,
                    addr_p);
}

#endif
