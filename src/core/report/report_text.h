// SPDX-License-Identifier: BSD-3-Clause
//
// The words of the deadlock report.
#ifndef CW_CORE_REPORT_TEXT_H
#define CW_CORE_REPORT_TEXT_H

#include "core/report/report.h"

/** Prints the report of a deadlock on standard error, in one write: a head line, then one line per
 *  PE in PE order. */
void cw_report_print(const cw_report_wait_t *waits, uint64_t patience_ns, bool may_err, bool end);

#endif
