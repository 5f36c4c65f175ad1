// SPDX-License-Identifier: BSD-3-Clause
//
// Always-on, cheap counters: time per start-up phase, connections, peers. Printed at finalize with CAUSEWAY_STATS=1.
#ifndef CW_CORE_STATS_H
#define CW_CORE_STATS_H

typedef enum cw_phase { CW_PHASE_BOOTSTRAP, CW_PHASE_MEMORY, CW_PHASE_NODE, CW_PHASE_CONNECT, CW_PHASES } cw_phase_t;

void cw_stats_begin(void);
/** The phase ends now. */
void cw_stats_phase(cw_phase_t phase);
void cw_stats_print(void);

#endif
