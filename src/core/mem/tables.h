// SPDX-License-Identifier: BSD-3-Clause
//
// Tables for all PEs of a node, in the node object of large jobs: places of PEs, and cold peer
// words (core/port/words.c), as one piece that is mapped repeatedly, copied on write.
//
//   0      cw_tables_head_t
//   64 KiB cw_place_nbytes()      read only
//   then   a piece of cold words  mapped privately
//
// The first PEs fill them in together without waits: unfinished parts are written again, with equal
// contents. Threads: the one that joins.
#ifndef CW_CORE_TABLES_H
#define CW_CORE_TABLES_H

#include "core/mem/layout.h"

extern cw_section_t cw_tables_section;

/** Fills in and uses the places, while the object's descriptor is open. CW_ENOMEM: reported. */
int cw_tables_open(void);
/** Words of all PEs, each `word`, for cwu_pages_free, while that descriptor is open. NULL: few PEs,
 *  no room, or the node's PEs differ. */
uintptr_t *cw_tables_words(uintptr_t word);

#endif
