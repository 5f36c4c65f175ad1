// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of GASNet-1's collectives share: who takes part in one.
#ifndef GEX_LEGACY_H
#define GEX_LEGACY_H

#include "gex/gex.h"

#include "gasnet_coll.h"

/** Of all images or, with GASNET_COLL_NO_IMAGES, of the processes. Processes have the numbers of
 *  the team. */
typedef struct gex_layout {
    gex_TM_t tm;
    uint32_t nimages, most;  // most images of a process
    uint32_t *first;         // [tm->size + 1]: of each process
    bool single;             // each process is one
} gex_layout_t;

#define GEX_TEAM_MAGIC 0x7465616du
/** What a member says in a barrier. */
typedef struct gex_said {
    int32_t id;
    uint32_t flags;
} gex_said_t;

/** A team of processes, each of which is one image. */
struct gasnet_causeway_team {
    uint32_t magic;
    gex_layout_t layout;
    gex_said_t *said;   // [layout.nimages]: of a barrier, by its members
    gex_Event_t event;  // of a barrier that was notified
    bool notified;
};

/** Of a team; counts: images of each process, NULL: one. */
void gex_lay_out(gex_layout_t *layout, gex_TM_t tm, const gasnet_image_t *counts);
/** Fatal if it is none. */
void gex_check_coll_team(const char *call, gasnet_team_handle_t team);

#endif
