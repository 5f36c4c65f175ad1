// SPDX-License-Identifier: BSD-3-Clause
//
// Where PEs run. A PE writes down the hardware thread that it is counted for when it joins the job;
// what its machine is like, any process of its node can say: this one, or the node's server for PEs
// of other nodes. So no PE need take part when another one asks.
// Threads: any. Blocking: for a PE that has not joined yet, and for the server's answer.
#ifndef DRT_PLACE_H
#define DRT_PLACE_H

#include "dart/drt.h"

/** Questions of other nodes will be answered: before the first cw_init. */
void drt_places_expect(void);
void drt_places_open(void);
void drt_places_close(void);
/** Known until drt_places_close. */
const dart_hwinfo_t *drt_place_of_pe(const char *call, int pe);

#endif
