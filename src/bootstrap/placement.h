// SPDX-License-Identifier: BSD-3-Clause
//
// The node of each PE, where the launcher does not give it in the library's own terms.
#ifndef CW_BOOTSTRAP_PLACEMENT_H
#define CW_BOOTSTRAP_PLACEMENT_H

#include "bootstrap/bootstrap.h"

/**
 * Reads "(vector,(FIRST,COUNT,PPN),(…))", the value of PMI_process_mapping: each block gives PPN
 * PEs to each of COUNT nodes from number FIRST on; the blocks repeat until all PEs have a node.
 * Writes dense node numbers in order of their lowest PE. 0 or CW_EINVAL (not reported).
 */
int cwb_placement_parse(const char *text, int npes, int *node_of_pe, int *nnodes_p);

/** The same as runs, if every node has PEs of consecutive numbers only. False: it has not, or the
 *  value is not understood. */
bool cwb_placement_runs(const char *text, int npes, cwb_runs_t *runs_p);
/** How many nodes have PEs. */
int cwb_runs_nnodes(const cwb_runs_t *runs, int npes);

/** Does CAUSEWAY_NODE, if set, fit into a value? 0 or CW_EINVAL, reported. */
int cwb_placement_check(void);
/** The name of this node: CAUSEWAY_NODE, or what identifies the host. 0 or CW_EINVAL, reported. */
int cwb_placement_name(char name[CWB_VALUE_MAX + 1]);

/**
 * Numbers the nodes by name, for back ends that have put, fence and get: every PE publishes its
 * name, PE 0 gathers them and publishes the numbers, 240 bytes a key. Two fences; npes gets in PE
 * 0, a few in the others.
 */
int cwb_placement_exchange(cwb_t *b, int *node_of_pe);

#endif
