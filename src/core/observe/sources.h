// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: contiguous puts that the program has begun and not completed. Until then it must
// not change their sources, which the network may still read; within the node, and of small puts,
// they have been read long before, and the mistake shows elsewhere. Of each put is kept where the
// program began it and a sample of its source: all of up to SAMPLE bytes, else as many that lie
// apart, the first and the last among them. They are compared when the put completes, and a change,
// or memory that is gone, is a warning, once for each place of the program.
//
// CW_SOURCES_MOST puts are kept; one that is begun beyond them is not looked at. So floods cost no
// memory, and of a flood with a mistake in each turn some are seen.
//
// And gets that nothing has completed yet: only how many of each place, since what they bring may
// come at any time.
//
// Threads: any. Blocking: never. Only where CW_CHECKING().
#ifndef CW_CORE_SOURCES_H
#define CW_CORE_SOURCES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CW_SOURCES_MOST = 1024 };

/** What completes a put; the key says which of these. */
typedef enum cw_source_kind {
    CW_SOURCE_CONTEXT,   // a quiet of a context
    CW_SOURCE_HANDLE,    // the wait for a handle (core/owner/handle.h)
    CW_SOURCE_REQUEST,   // the wait for a handle in a variable of the program, by its address
    CW_SOURCE_IMPLICIT,  // a wait of its thread
    CW_SOURCE_FLUSH,     // a flush
    CW_GET_IMPLICIT,     // of gets: a wait of their thread
    CW_GET_FLUSH         // of gets: a flush
} cw_source_kind_t;

/** A put began. caller: of the routine (CWU_CALLER), whose call is looked for on the stack where
 *  that lies in this library. */
void cw_source_begin(cw_source_kind_t kind, uintptr_t key, const void *caller, const void *src,
                     size_t nbytes, int pe);
/** A get began: it is kept how many there are of each place, until cw_source_forget. */
void cw_source_begin_get(cw_source_kind_t kind, uintptr_t key, const void *caller, int pe);
/** The puts of that key are complete, or their sources are free: warns of those that have changed.
 *  call: that completes them. */
void cw_source_end(cw_source_kind_t kind, uintptr_t key, const char *call);
/** All of that kind are. */
void cw_source_end_all(cw_source_kind_t kind, const char *call);
/** Those of one key complete with another one from now on. */
void cw_source_move(cw_source_kind_t from, uintptr_t from_key, cw_source_kind_t to,
                    uintptr_t to_key);
/** They are looked at no more. */
void cw_source_forget(cw_source_kind_t kind, uintptr_t key);
/** Warns that puts, or gets, of that kind are not complete, "<call>: <n> puts ... <remedy>", and
 *  forgets them. */
void cw_source_left(cw_source_kind_t kind, const char *call, const char *remedy);
/** The same of one key. */
void cw_source_left_of(cw_source_kind_t kind, uintptr_t key, const char *call, const char *remedy);
/** The handler of SIGSEGV and SIGBUS calls cw_source_faulted from now on, as long as is_there says
 *  so. NULL: there is none. */
void cw_sources_handled(bool (*is_there)(void));
/** In such a handler: a fault at that address. Does not return if a source was read there that the
 *  program has given back. mask: of the code that was interrupted. */
void cw_source_faulted(const void *address, const sigset_t *mask);
/** The process ends, maybe in the handler of a signal that has interrupted one of these calls: from
 *  here on they do nothing. */
void cw_sources_stop(void);
/** The job is over: forgets all. */
void cw_sources_close(void);

#endif
