// SPDX-License-Identifier: BSD-3-Clause
//
// The words of the deadlock report.
#ifndef CW_CORE_REPORT_TEXT_H
#define CW_CORE_REPORT_TEXT_H

#include "core/report/report.h"

/** Prints the report of a deadlock on standard error, in one write: a head line, then one line per
 *  PE in PE order. */
void cw_report_print(const cw_report_wait_t *waits, uint64_t patience_ns, bool may_err, bool end);

/** Has the PE of r come to the synchronisation of all PEs that `mine` waits in? PEs that end
 *  synchronise apart. */
bool cw_report_has_come(const cw_report_wait_t *r, const cw_report_wait_t *mine);
/** As cw_report_print, of the npes PEs in the list, which wait for each other. waits: of all PEs;
 *  of others all 0. */
void cw_report_print_cycle(const cw_report_wait_t *waits, const int *pes, int npes, bool may_err,
                           bool end);
/** What a PE waits for, as far as its own page tells. Takes no memory and no lock. */
void cw_report_describe(const cw_report_wait_t *r, char *text, size_t nbytes);

#endif
