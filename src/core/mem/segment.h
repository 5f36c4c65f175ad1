// SPDX-License-Identifier: BSD-3-Clause
//
// The node object in this process: created or joined at init, unmapped at finalize. A memfd, so
// that nothing is left behind whatever happens to the PEs. Threads: init and fini by one thread,
// reading by all.
#ifndef CW_CORE_SEGMENT_H
#define CW_CORE_SEGMENT_H

#include "base/compiler.h"
#include "bootstrap/bootstrap.h"
#include "core/mem/layout.h"

typedef struct cw_segment {
    char *base;  // the node object, offset 0
    size_t nbytes;
    cw_control_t *control;
    cw_slot_t *slots;  // [nslots]
    cwt_layout_t layout;
    uintptr_t origin;  // my static data's address (or my slice, if the program has none):
                       // slice offset 0
    char *heap;        // origin + heap_offset: scratch first, then the user's heap
    bool own_view;     // data and heap are mapped a second time at origin
    bool in_parts;     // the holes of the object are not mapped at base
} cw_segment_t;

extern cw_segment_t cw_segment CW_HIDDEN;

/** Makes or joins the node object, with the sections of a table that ends with NULL. */
int cw_segment_init(cwb_t *boot, cw_section_t *const sections[]);
void cw_segment_fini(void);
/** Other PEs of the node do not expect this process to live any more. */
void cw_segment_depart(void);
/** The object's file descriptor for this node: inherited, created, or received from the node's
 *  lowest PE. */
int cw_share_fd(cwb_t *boot, int *fd_p);
/** The lowest PE of a node gives it to the others, if it made it. Waits for them. */
int cw_share_hand_out(const cwb_t *boot);

/** The writable pages of the main program that become symmetric; nbytes 0 if it is not an OpenSHMEM
 *  program. Those behind file_nbytes came as zeros. */
typedef struct cw_static_data {
    uintptr_t start;
    size_t nbytes, file_nbytes;
    uint64_t program;
} cw_static_data_t;
void cw_static_data_find(cw_static_data_t *data_p);

/** Offset in the node object of slot's slice. */
static inline uint64_t cw_slice_offset(uint32_t slot)
{
    return cw_segment.layout.slice_offset + (uint64_t)slot * cw_segment.layout.slice_stride;
}

#endif
