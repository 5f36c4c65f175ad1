// SPDX-License-Identifier: BSD-3-Clause
//
// Windows: every image's coarrays at an address of their own that is the same in all processes, for
// compilers that access other images by functions of the program (gfortran 15 and later). Such a
// function gets the address of a coarray in another image, and may follow pointers that it finds
// there: these, too, are addresses in the window of the image that has set them.
//
// Windows of the node's images are their memory, mapped once more. Those of other nodes are empty,
// and an access brings pages by faults (SIGSEGV): it is made in caf_window_read, which fetches what
// is touched, or in caf_window_write, which puts what has been written when the function returns.
// Threads: one.
#ifndef CAF_WINDOW_H
#define CAF_WINDOW_H

#include "caf/caf.h"

typedef struct caf_windows {
    uintptr_t base, area;  // of the window of PE 0; symmetric address of what windows show
    size_t nbytes;         // of each; 0: there are none
} caf_windows_t;
extern caf_windows_t caf_windows CW_HIDDEN;

/** The program wants windows: before it joins the job. */
void caf_window_want(void);
/** Of the area of coarrays. Returns how much of it may be used: what windows show. */
size_t caf_window_open(char *area, size_t nbytes);
void caf_window_close(void);

/** What a PE has at that symmetric address, in its window. */
static CW_ALWAYS_INLINE void *caf_window_at(int pe, const void *symmetric)
{
    return (void *)(caf_windows.base + (size_t)pe * caf_windows.nbytes +
                    ((uintptr_t)symmetric - caf_windows.area));
}
/** How the program knows memory of this image. */
static inline void *caf_view(void *mine)
{
    return mine && caf_windows.nbytes ? caf_window_at(cw_world.pe, mine) : mine;
}
/** Whose window is that address in, and which symmetric address is there? False: in none. */
static inline bool caf_window_find(const void *addr, int *pe_p, void **symmetric_p)
{
    const uintptr_t at = (uintptr_t)addr - caf_windows.base;
    if (!caf_windows.nbytes || at >= caf_windows.nbytes * (size_t)cw_world.npes)
        return false;
    *pe_p = (int)(at / caf_windows.nbytes);
    *symmetric_p = (void *)(caf_windows.area + at % caf_windows.nbytes);
    return true;
}
/** Is the window the PE's memory itself? */
static CW_ALWAYS_INLINE bool caf_window_is_here(int pe)
{
    return cw_world.node_of_pe[pe] == cw_world.node;
}

typedef void caf_access_fn(void *arg);
/** fn reads windows. */
void caf_window_read(caf_access_fn *fn, void *arg);
/** fn reads and writes windows. only_writes: it reads nothing there, and is called twice. */
void caf_window_write(caf_access_fn *fn, void *arg, bool only_writes);
/** Puts those bytes of `at`, of which first and second are copies, in which both are the same:
 *  fn has run on both, and they were different before. */
void caf_window_put_same(int pe, void *symmetric, const char *first, const char *second,
                         size_t nbytes);
/** Before the first and the second run. */
enum { CAF_WINDOW_FIRST = 0, CAF_WINDOW_SECOND = 0xff };

#endif
