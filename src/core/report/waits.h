// SPDX-License-Identifier: BSD-3-Clause
//
// What PEs wait for, in their pages of the node objects (core/report/report.h), for the two surveys
// of all PEs: the deadlock report, and that of a PE that has ended early. Threads: of several of a
// PE that wait, one stands for it. cw_waits_read may wait for another node.
#ifndef CW_CORE_WAITS_H
#define CW_CORE_WAITS_H

#include "core/progress/wait.h"
#include "core/report/report.h"

enum {
    CW_WAITS_WHERE = 256,  // bytes of the text of cw_waits_where,
    CW_WAITS_MOVER = 512   // and of cw_waits_describe_mover
};

/** What a wait is for, as it goes into a page. Takes no memory and no lock. */
void cw_waits_take(cw_report_wait_t *r, const cw_wait_t *w);
/** Before each sleep of a wait. False: another one stands for this PE. */
bool cw_waits_publish(cw_wait_t *w);
/** Finds on the stack the place in the program that called the routine in which this thread waits,
 *  and unless a frame knows it, the routine. */
void cw_waits_name(cw_report_wait_t *mine);
/** "shmem_quiet, called from main+0x8 (ring.c:7)" and `end`, or the routine alone. Returns text. */
const char *cw_waits_where(const cw_report_wait_t *r, const char *end, char *text, size_t nbytes);
/** That wait has ended. */
void cw_waits_move(cw_wait_t *w);
/** This thread has tested in a loop for so long, without a result. */
void cw_waits_polled(uint64_t ns);
/** What a PE does that does not wait, as far as its page tells: the beginning of a sentence. */
void cw_waits_describe_mover(int pe, char *text, size_t nbytes);
/** The page of a PE. */
void cw_waits_read(int pe, cw_report_wait_t *r);

#endif
