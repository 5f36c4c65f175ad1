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
// Threads: any. Blocking: never. Only where CW_CHECKING().
#ifndef CW_CORE_KNOWN_H
#define CW_CORE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Numbers of segments as spaces begin here. */
#define CW_KNOWN_SEGMENTS ((int64_t)1 << 32)
/** Events of collectives, which are blocks, too: freed when they were waited for. */
#define CW_KNOWN_EVENTS ((int64_t)1 << 33)

typedef struct cw_known {
    int64_t space;
    uintptr_t base;
    size_t nbytes;
    const char *call;   // that gave it; lives for ever
    const void *place;  // of that call in the program
    bool freed;
} cw_known_t;

/** A block begins, in place of freed ones. */
void cw_known_add(const cw_known_t *block);
/** The block with that base, if there is one, is free from now on. */
void cw_known_free(int64_t space, uintptr_t base);
/** The last block that begins at or before the address. False: none. */
bool cw_known_find(int64_t space, uintptr_t address, cw_known_t *block_p);

/** Do the bytes begin in a block that was freed, or reach beyond the end of one? Then the text says
 *  that, how far, and where the block comes from: "reach 4 bytes beyond ...". */
bool cw_known_wrong(int64_t space, uintptr_t address, size_t nbytes, char *text,
                    size_t text_nbytes);
/** Do the bytes begin in a static variable of the program and reach beyond its end? */
bool cw_known_wrong_static(const void *address, size_t nbytes, char *text, size_t text_nbytes);
/** Either, of a buffer of this process. */
bool cw_known_wrong_here(const void *address, size_t nbytes, char *text, size_t text_nbytes);

/** The job is over: forgets all. */
void cw_known_close(void);

enum { CW_KNOWN_TEXT = 400 };  // bytes for a text

#endif
