// SPDX-License-Identifier: BSD-3-Clause
//
// Areas behind the heap for front ends without a symmetric heap, and peers' own addresses. Areas
// are mapped, registered and checked as the heap is, and have equal sizes on all PEs.
//
// Threads: one; reserve and leave_data before the first cw_init.
#ifndef CW_CORE_AREA_H
#define CW_CORE_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A front end's wish, evaluated when the process joins the job. */
typedef struct cw_area_request {
    // false: a share of the machine's memory. machine_nbytes 0: not known
    bool (*nbytes)(uint64_t machine_nbytes, uint64_t *nbytes_p);
    const char *setting;                 // environment variable, for messages
    const char *what;                    // for messages, as "the segments"
    bool sparse;  // each PE may allocate up to all of the machine's memory
    bool (*is_wanted)(void);  // NULL: always
} cw_area_request_t;
/** This process will, or may (is_wanted), use an area. The request lives on; repeating it changes
 *  nothing. All PEs in one order, or none. */
void cw_area_reserve(const cw_area_request_t *request);
/** As above: the program's static data stays private. */
void cw_area_leave_data(void);
/** Must symmetric data and waits work beside a front end that is about to join? */
bool cw_area_beside_symmetric(void);

/** My area, page aligned; NULL, 0 bytes: joined without it. */
void *cw_area(const cw_area_request_t *request, size_t *nbytes_p);
/** Memory of the front end itself behind its area, at one symmetric address: sparse, 32 MiB and 16
 *  KiB a PE. Zero at first and not initialised, so peers may store there before this PE arrives.
 *  NULL, 0 bytes: no area. */
void *cw_area_own(const cw_area_request_t *request, size_t *nbytes_p);
/** `pe`'s copy of a symmetric address, mapped here, even before that PE arrives: for memory that it
 *  does not initialise. NULL: of another node. */
void *cw_area_early(const void *symmetric, int pe);
/** Start of my slice in my own view. A peer's own address is my symmetric one + its origin -
 *  mine. */
uintptr_t cw_area_origin(void);
/** The symmetric heap with all areas, from the origin on. */
void cw_area_heap(uint64_t *offset_p, uint64_t *nbytes_p);

// ---- for core/mem
/** Chooses sizes within the machine's memory and `most` bytes of addresses; returns their sum. */
uint64_t cw_area_choose(uint64_t machine_nbytes, uint64_t most);
bool cw_area_leaves_data(void);
/** Of all areas, with what lies behind each. */
uint64_t cw_area_nbytes(void);
/** Is an area larger than what its PE will use? */
bool cw_area_is_sparse(void);

#endif
