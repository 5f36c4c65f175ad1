// SPDX-License-Identifier: BSD-3-Clause
//
// Memory behind the pages of a mapping. Contents never change (but by drop), and other threads and
// processes may use the pages meanwhile. Any thread; may sleep while the kernel finds memory.
#ifndef CW_BASE_PAGES_H
#define CW_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Gives every page of [at, at+nbytes) memory, as a first access by this thread would (so it is of
 *  this thread's NUMA node); write: memory that may be written. 0, or CW_ENOMEM: there is none, or
 *  the access is not allowed; not reported. */
int cwu_pages_back(const void *at, size_t nbytes, bool write);
/** Gives the memory of the whole pages of a shared mapping back: they are zero afterwards. */
void cwu_pages_drop(void *at, size_t nbytes);
/** mmap for what is reserved rather than used: after mlockall(MCL_FUTURE) it is not locked either,
 *  nor filled, nor counted in the limit of what may be locked, but for one page meanwhile.
 *  MAP_FIXED is for mmap. */
void *cwu_pages_map(void *at, size_t nbytes, int prot, int flags, int fd, uint64_t offset);
/** A range of zeros that may be read, takes no memory and is in no core file, for tables with much
 *  nothing around them. NULL: there is none, or the process has a limit on its addresses (ulimit
 *  -v), which such a range would use up. */
void *cwu_pages_zeros(size_t nbytes);
/** Makes [at, at+nbytes) of it, rounded out to whole pages, writable. CW_ENOMEM: not done. */
int cwu_pages_open(void *at, size_t nbytes);
/** A range that was made before the program locked all its memory is not locked any more, but for
 *  the `used` bytes that it begins with. */
void cwu_pages_unlock(void *zeros, size_t used, size_t nbytes);
/** The end of the range. */
void cwu_pages_free(void *zeros, size_t nbytes);
/** Two writable ranges of zeros without anything between them: [at, at+nbytes) and [at+from,
 *  at+to), both rounded out to whole pages; to: far behind nbytes. NULL: there are none. */
void *cwu_pages_apart(size_t nbytes, size_t from, size_t to);
void cwu_pages_apart_free(void *at, size_t nbytes, size_t from, size_t to);
#define CWU_PAGES_LARGE ((size_t)2 << 20)  // bytes of a large page, where the small have 4 KiB
/** Whether the range's pages may become large when they are first touched, as far as the system's
 *  setting for shared memory goes; whole pages. An address and its offset in the mapped file must
 *  be the same modulo CWU_PAGES_LARGE. */
void cwu_pages_may_be_large(void *at, size_t nbytes, bool may);
/** Makes these whole large pages large now, whatever the system's setting is (Linux 6.1), with
 *  memory behind them. CW_ENOTSUP: the kernel does not do that, or not there; CW_ENOMEM: some stay
 *  as they were. Not reported. */
int cwu_pages_make_large(void *at, size_t nbytes);
/** A private range in which each `chunk` bytes, whole pages, begin as the file's at that offset:
 *  its memory is the file's, but for the pages that this process writes. Freed by cwu_pages_free.
 *  NULL: there is none. */
void *cwu_pages_repeat(size_t nbytes, int fd, uint64_t offset, size_t chunk);
/** A range in which every word is this one: takes memory for a small part of it, and for the pages
 *  that are written. Freed by cwu_pages_free. NULL: there is none. */
uintptr_t *cwu_pages_pattern(size_t nbytes, uintptr_t word);
/** Whether core files contain these whole pages. What they contain, the kernel gives memory to
 *  write it, so a large range that was hardly used is better left out. */
void cwu_pages_dump(const void *at, size_t nbytes, bool wanted);
/** What a mapping of zeros may contain by now: calls part(arg, at, nbytes) for all of its whole
 *  pages that have memory, in runs, until one returns not 0, which is returned. The others are
 *  zeros, and are not read: mincore tells and, where anything in the system is swapped out, the
 *  kernel's table of pages (/proc/self/pagemap), which does not know of shared ones. Where none
 *  tells, or for a few pages, there is one run. */
int cwu_pages_touched(const void *at, size_t nbytes, bool shared,
                      int (*part)(void *arg, const void *at, size_t nbytes), void *arg);
/** Bytes of the range in pages without memory; those that the kernel does not know of count. */
uint64_t cwu_pages_missing(const void *at, size_t nbytes);

#endif
