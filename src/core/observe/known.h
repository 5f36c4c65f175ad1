// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: blocks that interfaces gave the program. Freed ones stay until another takes their
// place. Addresses in no block pass, since a process does not know all.
//
// A block belongs to a *space*: a process with its addresses, or a numbered segment with offsets.
// Registered memory, the program's before, is in no process's space: bytes behind it may be the
// program's too.
//
// Threads: any. Blocking: never. Only where CW_CHECKING().
#ifndef CW_CORE_KNOWN_H
#define CW_CORE_KNOWN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/mem/memory.h"
#include "core/observe/seen.h"

/** Spaces from here on are segments. */
#define CW_KNOWN_SEGMENTS ((int64_t)1 << 32)

// Objects, no memory: each kind is a space, each object a block of one byte at its address or
// number, freed when waited for or destroyed.
#define CW_KNOWN_OBJECTS ((int64_t)1 << 33)
#define CW_KNOWN_EVENTS (CW_KNOWN_OBJECTS + 0)  // of collectives
#define CW_KNOWN_TEAMS (CW_KNOWN_OBJECTS + 1)
#define CW_KNOWN_PARTS (CW_KNOWN_OBJECTS + 2)     // handles of segments
#define CW_KNOWN_DOMAINS (CW_KNOWN_OBJECTS + 3)   // of atomics
#define CW_KNOWN_HANDLES (CW_KNOWN_OBJECTS + 4)   // core/owner/handle.h
#define CW_KNOWN_REQUESTS (CW_KNOWN_OBJECTS + 5)  // handles in variables, by address
#define CW_KNOWN_KINDS (CW_KNOWN_OBJECTS + 6)     // of memory

/** The space of symmetric memory, for what threads remember. */
#define CW_KNOWN_SYMMETRIC ((int64_t)1 << 34)

typedef struct cw_known {
    int64_t space;
    uintptr_t base;
    size_t nbytes;
    const char *call;   // that gave it; lives for ever
    const void *place;  // of that call
    bool freed;
    const void *freed_at;  // of memory: the place
} cw_known_t;

/** No memory is below: NULL, and addresses computed from it. */
#define CW_KNOWN_LOWEST ((uintptr_t)4096)

// ---------------------------------------------------------------- blocks
/** Replaces freed blocks in its place. */
void cw_known_add(const cw_known_t *block);
/** Marks the block with that base, if any, as freed. */
void cw_known_free(int64_t space, uintptr_t base);
/** Frees all of a space of objects. */
void cw_known_free_all(int64_t space);
/** The last block at or before the address. False: none. */
bool cw_known_find(int64_t space, uintptr_t address, cw_known_t *block_p);

/** Returns text: " at grow+0x1c (table.c:26)", or "" if not known. */
const char *cw_known_freed_at(const cw_known_t *block, char *text, size_t text_nbytes);

/** Do bytes begin in a freed block, or reach beyond a block? Then text says so, with the block's
 *  origin. */
bool cw_known_wrong(int64_t space, uintptr_t address, size_t nbytes, char *text,
                    size_t text_nbytes);
/** Do bytes begin in a static variable and reach beyond it? Else clips the span to the variable, or
 *  to the gap. */
bool cw_known_wrong_static(const void *address, size_t nbytes, char *text, size_t text_nbytes,
                           cw_known_span_t *span);
/** Either of both, for a buffer of this process. */
bool cw_known_wrong_here(const void *address, size_t nbytes, char *text, size_t text_nbytes);

/** Returns how many are unfreed; *all_p: copies, for free(), or NULL. */
size_t cw_known_left(int64_t space, cw_known_t **all_p);
/** An interface ends, or device memory begins: voids what threads remember. */
void cw_known_void(void);
/** Forgets all. */
void cw_known_close(void);

enum { CW_KNOWN_TEXT = 560 };  // bytes for a text

#endif
