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

/** Pages of the main program that become symmetric: a segment of its file that may be written, less
 *  what the loader made read-only after relocation. Those behind file_nbytes came as zeros. */
typedef struct cw_data_part {
    uintptr_t start;
    size_t nbytes, file_nbytes;
} cw_data_part_t;

#define CW_DATA_PARTS_MOST 16  // linkers make one or two, a script of the user's perhaps more

/** All of them, in the order of addresses, with what lies between them: [start, start + nbytes).
 *  nbytes 0, without parts: this is not an OpenSHMEM program. */
typedef struct cw_static_data {
    uintptr_t start;
    size_t nbytes;
    uint32_t nparts;
    cw_data_part_t part[CW_DATA_PARTS_MOST];
    uint64_t program;  // digest of the executable's identity
} cw_static_data_t;
/** Returns 0, or CW_ENOTSUP: there are too many parts, reported. */
int cw_static_data_find(cw_static_data_t *data_p);

typedef struct cw_segment {
    char *base;  // the node object, offset 0
    int fd;      // of it; -1 from cw_segment_mapped on
    size_t nbytes;
    uint64_t front;  // bytes in front of it in its file
    cw_control_t *control;
    cw_slot_t *slots;  // [nslots]
    cwt_layout_t layout;
    uintptr_t origin;  // my static data's address (or my slice, if the program has none):
                       // slice offset 0
    char *heap;        // origin + heap_offset: scratch first, then the user's heap
    bool own_view;     // data and heap are mapped a second time at origin
    bool in_parts;     // the holes of the object are not mapped at base
    cw_static_data_t data;
} cw_segment_t;

extern cw_segment_t cw_segment CW_HIDDEN;

/** Makes or joins the node object, with the sections of a table that ends with NULL. */
int cw_segment_init(cwb_t *boot, cw_section_t *const sections[]);
/** Nothing of the object is mapped any more: its descriptor is closed. */
void cw_segment_mapped(void);
void cw_segment_fini(void);
/** Other PEs of the node do not expect this process to live any more. */
void cw_segment_depart(void);
/** The object's file descriptor for this node: inherited, created, or received from the node's
 *  lowest PE. */
int cw_share_fd(cwb_t *boot, int *fd_p);
/** The lowest PE of a node gives it to the others, if it made it. Waits for them. */
int cw_share_hand_out(const cwb_t *boot);

/** Offset in the node object of slot's slice. */
static inline uint64_t cw_slice_offset(uint32_t slot)
{
    return cw_segment.layout.slice_offset + (uint64_t)slot * cw_segment.layout.slice_stride;
}

#endif
