// SPDX-License-Identifier: BSD-3-Clause
//
// What a slice offers to front ends whose memory is no symmetric heap: an area behind the heap for
// each, and the peers' own addresses.
//
// Areas are as sparse as the heap, mapped, registered and checked with it: a transfer cannot tell
// them apart. The sizes are the same on every PE; each front end decides how it uses its area. A
// peer's own address of something and my symmetric address of it differ by the distance of our
// origins. Threads: reserve and leave_data before cw_init, the rest after it.
#ifndef CW_CORE_AREA_H
#define CW_CORE_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a front end wants: asked for when the job is joined, after the environment was read. */
typedef struct cw_area_request {
    // false: a share of the machine's memory, which is 0 where it is not known
    bool (*nbytes)(uint64_t machine_nbytes, uint64_t *nbytes_p);
    const char *setting;                 // the variable that sets it, for messages
    const char *what;                    // "the segments"
    bool sparse;  // PEs allocate from it as they need: each may take all of the machine's memory
    bool (*is_wanted)(void);  // NULL: it is
} cw_area_request_t;
/** This process will want an area, or may (is_wanted): to be called before the first cw_init, with
 *  a request that lives on. Again, it changes nothing. Every PE, or none, in one order. */
void cw_area_reserve(const cw_area_request_t *request);
/** The program's static data stays private: as above. */
void cw_area_leave_data(void);
/** Must symmetric data and its waits work beside a front end with an area that is about to join? */
bool cw_area_beside_symmetric(void);

/** Mine, page aligned; NULL and 0 bytes if the job was joined without it. */
void *cw_area(const cw_area_request_t *request, size_t *nbytes_p);
/** Behind it, where there is one: memory for the front end itself, at one symmetric address. Zero
 *  when the job begins, and not initialised by its owner, so peers may store there before this PE
 *  has arrived. Its size is 32 MiB and 16 KiB for each PE of the job; only pages in use take
 *  memory. NULL and 0 bytes without an area. */
void *cw_area_own(const cw_area_request_t *request, size_t *nbytes_p);
/** What `pe`, of this node, has at its own copy of a symmetric address, whether it has come or not:
 *  for memory that it does not initialise (not for static data). NULL: it is not of this node. */
void *cw_area_early(const void *symmetric, int pe);
/** Where this PE's slice begins in its own view: my symmetric address + (origin of a peer - mine)
 *  is the peer's own. */
uintptr_t cw_area_origin(void);
/** The symmetric heap with all areas, from the origin on. */
void cw_area_heap(uint64_t *offset_p, uint64_t *nbytes_p);

// ---- for core/mem
/** Bytes of all areas, each reduced to what the machine can hold, and to `most` by the limit on
 *  addresses. */
uint64_t cw_area_choose(uint64_t machine_nbytes, uint64_t most);
bool cw_area_leaves_data(void);
/** Of all areas, with what lies behind each of them. */
uint64_t cw_area_nbytes(void);
/** Is one of them larger than what its PE will use? */
bool cw_area_is_sparse(void);

#endif
