// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of all PEs that every PE of a node reads, once in the node object of a large job: where
// each PE is (core/world/place.h), and the words that say of a PE "not connected yet"
// (core/rma/words.c), of which a piece is mapped again and again, to be copied where it is written.
//
//   0      cw_tables_head_t
//   64 KiB cw_place_nbytes()      read only
//   then   a piece of cold words  mapped privately
//
// The PEs that come first fill them in together and wait for none: what another has begun and not
// ended yet is written once more, with the same contents. Threads: the one that joins.
#ifndef CW_CORE_TABLES_H
#define CW_CORE_TABLES_H

#include "core/mem/layout.h"

extern cw_section_t cw_tables_section;

/** Fills in the tables of places, and reads them from now on. The node object's descriptor is open.
 *  CW_ENOMEM: reported. */
int cw_tables_open(void);
/** Room for the words of all PEs, each `word`: freed by cwu_pages_free. NULL: the job has few PEs,
 *  there is no room, or the word is another one on other PEs of this node. While the node object's
 *  descriptor is open. */
uintptr_t *cw_tables_words(uintptr_t word);

#endif
