// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers of many pieces to or from a process of another node. Large pieces are puts and gets of
// their own, small ones travel packed in requests; the order of the paths (order.h) is kept here.
//
//     aci_far_t f;
//     aci_far_begin(&f, call, proc, put, total);
//     while (...) aci_far_add(&f, remote, local, nbytes);
//     bool in_use = aci_far_end(&f);
//
// No order among the pieces. Threads: any, each with an aci_far_t of its own. Blocking: for room to
// send, for operations on the same location by another path, and in aci_far_complete.
#ifndef ACI_FAR_H
#define ACI_FAR_H

#include "armci/order.h"
#include "armci/section.h"
#include "core/bulk/pieces.h"

/** Puts up to this size are copied by the transport: the source may change at once. */
#define ACI_COPIED_MOST 16384u

typedef struct aci_far {
    const char *call;
    int proc;
    bool put;
    uintptr_t shift;   // to the symmetric address of what lies there
    size_t total;      // bytes of all pieces; 0: there is one
    size_t most;       // up to how many bytes pieces are packed
    bool packing;      // a piece was packed
    bool direct;       // a piece went directly
    uint64_t paths;    // taken so far, of ACI_MARKS
    aci_range_t read;  // by a get
    cw_pieces_t pieces;
} aci_far_t;

/** Is that process on another node? */
bool aci_is_far(int proc);

/** total: bytes of all pieces; 0: there is only one. */
void aci_far_begin(aci_far_t *f, const char *call, int proc, bool put, size_t total);
void aci_far_add(aci_far_t *f, void *remote, void *local, size_t nbytes);
/** All rows of a section; its addresses were checked. may_wait: the call is blocking. */
void aci_far_section(aci_far_t *f, const cwu_section_t *s, bool may_wait);
/** Sends what is left. True: local memory is in use until a quiet. */
bool aci_far_end(aci_far_t *f);
/** The same, and waits until local memory is not in use. */
void aci_far_complete(aci_far_t *f);

#endif
