// SPDX-License-Identifier: BSD-3-Clause
//
// The door of PRIF, revision 0.8: what its Fortran module calls (fortran/), which is compiled by
// the compiler of the programs. All arguments are of C but for arrays of any type (descriptor.c).
//
// A function that may fail gets stat=, NULL where the program has none, and returns what it has set
// it to; its text waits for the module (causeway_prif_message). Each one is thin: it finds image
// and place, and calls src/caf. Threads: one.
#ifndef PRF_H
#define PRF_H

#include "caf/transfer.h"

#define PRF_API CW_EXPORTED

/** What the constants of the module are. Those that flang knows, too, have its values. */
enum {
    PRF_STAT_FAILED_IMAGE = 101,
    PRF_STAT_LOCKED,
    PRF_STAT_LOCKED_OTHER_IMAGE,
    PRF_STAT_STOPPED_IMAGE,
    PRF_STAT_UNLOCKED,
    PRF_STAT_ERROR = 300,  // no constant of the module
    PRF_STAT_OUT_OF_MEMORY,
    PRF_STAT_ALREADY_INIT,

    PRF_CURRENT_TEAM = -1,
    PRF_INITIAL_TEAM = -2,
    PRF_PARENT_TEAM = -3
};

extern caf_door_t prf_door CW_HIDDEN;

/** The text of the last failure, for the module. */
enum { PRF_TEXT = 400 };
extern char prf_text[PRF_TEXT] CW_HIDDEN;

/** First statement of a function, with the name of the procedure; not of puts and gets, whose
 *  instructions count. */
#define PRF_ENTER(call)                \
    do {                               \
        if (CW_UNLIKELY(!caf.group))   \
            prf_not_joined(call);      \
        CW_WATCH(cw_watch_call(call)); \
    } while (0)
noreturn void prf_not_joined(const char *call) CW_COLD;

static inline caf_status_t prf_status(int *stat)
{
    return (caf_status_t){.stat = stat, .errmsg = prf_text, .errmsg_nbytes = sizeof prf_text};
}
static inline int prf_outcome(const int *stat)
{
    return stat ? *stat : 0;
}

// ---------------------------------------------------------------- coarrays (memory.c)
/** What a handle is: a coarray, or an alias of it, with cobounds. */
typedef struct prf_coarray {
    caf_coarray_t *coarray;   // of all its aliases
    size_t offset;            // of the first byte in it
    struct prf_whole *whole;  // of all its aliases; NULL: it has been deallocated
    struct prf_coarray *next; // an alias's: of the same coarray
    int corank;
    // [2 * corank - 1]: lower, then upper but the last one, which depends on the current team
    int64_t bounds[];
} prf_coarray_t;

static inline const int64_t *prf_lower(const prf_coarray_t *c)
{
    return c->bounds;
}
/** But that of the last codimension. */
static inline const int64_t *prf_upper(const prf_coarray_t *c)
{
    return c->bounds + c->corank;
}

/** False: not a coarray, if it is NULL; reported. */
bool prf_is_allocated(const caf_status_t *status, const char *call, const prf_coarray_t *c);
/** The same of a procedure without stat. */
void prf_want(const char *call, const prf_coarray_t *c);
/** Of a coarray whose team ends. */
void prf_released(const caf_coarray_t *coarray);

// ---------------------------------------------------------------- places (access.c)
/** nbytes at that offset of a coarray, or, with c NULL, at that address, in an image of the initial
 *  team. False: reported. */
bool prf_find(const caf_status_t *status, const char *call, int image, const prf_coarray_t *c,
              size_t place, size_t nbytes, int *pe_p, void **addr_p);
/** The same without a report; false: the statement takes the general path. */
static CW_ALWAYS_INLINE bool prf_find_plain(const prf_coarray_t *c, size_t place, size_t nbytes,
                                            int image, void **addr_p)
{
    if (CW_UNLIKELY(!c) || CW_UNLIKELY((unsigned)image - 1u >= (unsigned)cw_world.npes))
        return false;
    const caf_coarray_t *coarray = c->coarray;
    const size_t offset = c->offset + place;
    if (CW_UNLIKELY(offset > coarray->nbytes) || CW_UNLIKELY(nbytes > coarray->nbytes - offset))
        return false;
    *addr_p = caf_at(coarray, image - 1, offset);
    return true;
}

#endif
