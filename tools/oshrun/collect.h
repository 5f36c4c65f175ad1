// SPDX-License-Identifier: BSD-3-Clause
//
// The same message of many PEs, once: a queue of the messages that wait for equal ones (collect.c).
// One thread; nothing blocks.
#ifndef OSHRUN_COLLECT_H
#define OSHRUN_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** put prints whole lines of PEs, whose numbers are `pes` ("0, 2-63"), or of oshrun ("").
 *  -1: no memory. */
int collect_init(int npes, void (*put)(const char *pes, const char *text, size_t nbytes));
/** A whole line, with its newline, of a PE's standard error. True: it waits. False: it is no
 *  message; messages of this PE have been printed, and the line is the caller's to print. */
bool collect_take(int pe, const char *line, size_t nbytes, uint64_t now_ns);
/** Prints what waits of this PE: something else of it follows. */
void collect_put_of(int pe);
/** A line of oshrun's, which stays behind the messages that wait. */
void collect_own(const char *line);
bool collect_waits(void);
void collect_put_due(uint64_t now_ns);
/** Prints all that waits: no more can come. */
void collect_put_all(void);
/** When the next message is due; 0: none waits. */
uint64_t collect_next_ns(void);

#endif
