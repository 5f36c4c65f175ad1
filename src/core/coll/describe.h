// SPDX-License-Identifier: BSD-3-Clause
//
// The table of collective algorithms as text, for causeway-info, and CAUSEWAY_COLL. Needs no job.
#ifndef CW_CORE_COLL_DESCRIBE_H
#define CW_CORE_COLL_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cw_coll_row {
    const char *collective, *bytes_of;  // what the byte range counts
    const char *algorithm, *text;
    uint64_t least_nbytes, most_nbytes, least_nodes, most_nodes;  // UINT64_MAX: no bound
    char needs[64];  // "one node, scratch"; "" if nothing
    bool forced;                                                  // CAUSEWAY_COLL names it
} cw_coll_row_t;

/** Row i of the table, in the order of choice; false behind the last. Load CAUSEWAY_COLL first. */
bool cw_coll_table(size_t i, cw_coll_row_t *row_p);

/** Parses CAUSEWAY_COLL; fatal, with the names that exist, on an unknown one. Call it at
 *  initialisation. */
void cw_coll_choices_load(void);

#endif
