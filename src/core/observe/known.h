// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: the blocks that the program was given, by whichever interface, with their sizes
// and where the program asked for them. Freed ones stay until their place is another block's. An
// interface names its blocks when it gives them; an address in no block passes, since not every
// process knows of each.
//
// A block belongs to a *space*: a process, with the addresses that it has there; or a segment that
// is named by a number, with offsets. Memory that was the program's before (registered) is in no
// space of a process: what lies behind it may be the program's, too.
//
// What was right a thread remembers until a block changes (core/observe/seen.h), so most questions
// take no lock and no search.
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

/** Numbers of segments as spaces begin here. */
#define CW_KNOWN_SEGMENTS ((int64_t)1 << 32)

// What calls gave that is no memory, each kind a space in which it is a block at its own address
// (or number) of one byte: freed when it was waited for, or destroyed.
#define CW_KNOWN_OBJECTS ((int64_t)1 << 33)
#define CW_KNOWN_EVENTS (CW_KNOWN_OBJECTS + 0)  // of collectives
#define CW_KNOWN_TEAMS (CW_KNOWN_OBJECTS + 1)
#define CW_KNOWN_PARTS (CW_KNOWN_OBJECTS + 2)     // handles of segments
#define CW_KNOWN_DOMAINS (CW_KNOWN_OBJECTS + 3)   // of atomics
#define CW_KNOWN_HANDLES (CW_KNOWN_OBJECTS + 4)   // core/owner/handle.h
#define CW_KNOWN_REQUESTS (CW_KNOWN_OBJECTS + 5)  // handles in variables of the program, by address
#define CW_KNOWN_KINDS (CW_KNOWN_OBJECTS + 6)     // of memory

/** What is symmetric in this process, as a space of what a thread remembers. */
#define CW_KNOWN_SYMMETRIC ((int64_t)1 << 34)

typedef struct cw_known {
    int64_t space;
    uintptr_t base;
    size_t nbytes;
    const char *call;   // that gave it; lives for ever
    const void *place;  // of that call in the program
    bool freed;
    const void *freed_at;  // of memory: in the program
} cw_known_t;

/** Below is no memory: NULL, and what was computed from it. */
#define CW_KNOWN_LOWEST ((uintptr_t)4096)

// ---------------------------------------------------------------- blocks
/** A block begins, in place of freed ones. */
void cw_known_add(const cw_known_t *block);
/** The block with that base, if there is one, is free from now on. */
void cw_known_free(int64_t space, uintptr_t base);
/** All of a space of objects are. */
void cw_known_free_all(int64_t space);
/** The last block that begins at or before the address. False: none. */
bool cw_known_find(int64_t space, uintptr_t address, cw_known_t *block_p);

/** " at grow+0x1c (table.c:26)", or "" where that is not known. Returns text. */
const char *cw_known_freed_at(const cw_known_t *block, char *text, size_t text_nbytes);

/** Do the bytes begin in a block that was freed, or reach beyond the end of one? Then the text says
 *  that, how far, and where the block comes from: "reach 4 bytes beyond ...". */
bool cw_known_wrong(int64_t space, uintptr_t address, size_t nbytes, char *text,
                    size_t text_nbytes);
/** Do the bytes begin in a static variable of the program and reach beyond its end? If not: clips
 *  the span to the variable, or to the gap between two. */
bool cw_known_wrong_static(const void *address, size_t nbytes, char *text, size_t text_nbytes,
                           cw_known_span_t *span);
/** Either, of a buffer of this process. */
bool cw_known_wrong_here(const void *address, size_t nbytes, char *text, size_t text_nbytes);

/** How many of that space are not freed, and a copy of them, for free(); NULL: there is none. */
size_t cw_known_left(int64_t space, cw_known_t **all_p);
/** An interface ends: what threads remember of its calls is right no more. */
void cw_known_void(void);
/** The job is over: forgets all. */
void cw_known_close(void);

enum { CW_KNOWN_TEXT = 560 };  // bytes for a text

#endif
