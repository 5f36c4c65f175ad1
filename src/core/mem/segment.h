// SPDX-License-Identifier: BSD-3-Clause
//
// The node object in this process, a memfd: made or joined at init, unmapped at finalize. Threads:
// init and fini by one, reading by all.
#ifndef CW_CORE_SEGMENT_H
#define CW_CORE_SEGMENT_H

#include "base/compiler.h"
#include "bootstrap/bootstrap.h"
#include "core/mem/layout.h"

/** Symmetric pages of the main program: a writable segment without what became read-only after
 *  relocation. Zeros behind file_nbytes. */
typedef struct cw_data_part {
    uintptr_t start;
    size_t nbytes, file_nbytes;
} cw_data_part_t;

#define CW_DATA_PARTS_MOST 16  // linkers make one or two

/** All parts in address order, and their range. nbytes 0: no OpenSHMEM program. */
typedef struct cw_static_data {
    uintptr_t start;
    size_t nbytes;
    uint32_t nparts;
    cw_data_part_t part[CW_DATA_PARTS_MOST];
    bool fixed;        // linked to these addresses (-no-pie), which are those of all PEs
    uint64_t program;  // digest of the executable's identity
} cw_static_data_t;
/** 0, or CW_ENOTSUP (too many parts): reported. */
int cw_static_data_find(cw_static_data_t *data_p);

typedef struct cw_segment {
    char *base;  // the node object
    int fd;      // -1 from cw_segment_mapped on
    size_t nbytes;
    uint64_t front;   // bytes before the object in its file
    uint64_t before;  // before each slice: the addresses of a program before its static data
    cw_control_t *control;
    cw_slot_t *slots;  // [nslots]
    cwt_layout_t layout;
    uintptr_t origin;  // slice offset 0 in my view: of static data, else of my slice
    char *heap;        // origin + heap_offset: scratch, then the user's heap
    bool own_view;     // a second mapping of data and heap at origin
    bool in_parts;     // holes are not mapped at base
    cw_static_data_t data;
} cw_segment_t;

extern cw_segment_t cw_segment CW_HIDDEN;

/** Makes or joins the node object; sections end with NULL. */
int cw_segment_init(cwb_t *boot, cw_section_t *const sections[]);
/** All of the object is mapped: closes its descriptor. */
void cw_segment_mapped(void);
/** The process ends: for what else runs in exit its memory stays. */
extern bool cw_segment_stays;
void cw_segment_fini(void);
/** Clears my pid, so that other PEs do not expect this process to live. */
void cw_segment_depart(void);
/** The object's descriptor: inherited, made, or received from the lowest PE. [waits] */
int cw_share_fd(cwb_t *boot, int *fd_p);
/** The lowest PE gives the object that it made to the others. [waits for them] */
int cw_share_hand_out(const cwb_t *boot);

static inline uint64_t cw_slice_offset(uint32_t slot)
{
    return cw_segment.layout.slice_offset + (uint64_t)slot * cw_segment.layout.slice_stride;
}

#endif
