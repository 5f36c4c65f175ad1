// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: contiguous puts begun and not completed, whose sources the network may still read.
// A sample of each source (up to SAMPLE bytes, all or spread from first to last) is compared at the
// completion; a change, or a vanished source, is a warning, once for each place of the program.
// Puts beyond CW_SOURCES_MOST are not looked at. Of gets only the number at each place is kept.
//
// Threads: any. Blocking: never. Only where CW_CHECKING().
#ifndef CW_CORE_SOURCES_H
#define CW_CORE_SOURCES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CW_SOURCES_MOST = 1024 };

/** What completes a put, together with a key. */
typedef enum cw_source_kind {
    CW_SOURCE_CONTEXT,   // a quiet of a context
    CW_SOURCE_HANDLE,    // the wait for a handle (core/owner/handle.h)
    CW_SOURCE_REQUEST,   // the wait for a handle in a variable, by its address
    CW_SOURCE_IMPLICIT,  // a wait of its thread
    CW_SOURCE_FLUSH,     // a flush
    CW_GET_IMPLICIT,     // gets: a wait of their thread
    CW_GET_FLUSH         // gets: a flush
} cw_source_kind_t;

/** caller: of the routine (CWU_CALLER); if in this library, the stack has the program's call. */
void cw_source_begin(cw_source_kind_t kind, uintptr_t key, const void *caller, const void *src,
                     size_t nbytes, int pe);
/** A get began: counted by place until cw_source_forget. */
void cw_source_begin_get(cw_source_kind_t kind, uintptr_t key, const void *caller, int pe);
/** `call` completes the puts of a key, or frees their sources: warns of changed ones. */
void cw_source_end(cw_source_kind_t kind, uintptr_t key, const char *call);
/** As above, of all keys. */
void cw_source_end_all(cw_source_kind_t kind, const char *call);
/** From now on they complete with another key. */
void cw_source_move(cw_source_kind_t from, uintptr_t from_key, cw_source_kind_t to,
                    uintptr_t to_key);
void cw_source_forget(cw_source_kind_t kind, uintptr_t key);
/** Warns of incomplete puts or gets, "<call>: <n> puts ... <remedy>", and forgets them. */
void cw_source_left(cw_source_kind_t kind, const char *call, const char *remedy);
/** As above, of one key. */
void cw_source_left_of(cw_source_kind_t kind, uintptr_t key, const char *call, const char *remedy);
/** The handler of SIGSEGV and SIGBUS calls cw_source_faulted while is_there says so. NULL: none. */
void cw_sources_handled(bool (*is_there)(void));
/** Does not return if a completion faulted at the address of a source that the program has given
 *  back. mask: of the interrupted code. */
void cw_source_faulted(const void *address, const sigset_t *mask);
/** The process ends, perhaps in a handler inside these calls: they do nothing any more. */
void cw_sources_stop(void);
/** Forgets all. */
void cw_sources_close(void);

#endif
