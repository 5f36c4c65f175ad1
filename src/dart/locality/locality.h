// SPDX-License-Identifier: BSD-3-Clause
//
// Where the units of teams run: while teams end.
#ifndef DRT_LOCALITY_H
#define DRT_LOCALITY_H

#include "dart/drt.h"

/** Forgets what is known of a team's units. */
void drt_locality_drop(drt_team_t *team);

#endif
