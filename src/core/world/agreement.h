// SPDX-License-Identifier: BSD-3-Clause
//
// What all PEs of a job must have in common. core/mem fills it in when it lays out the node object,
// core/route what is its own before, core/am while core/mem does. PEs of a node compare when they
// join, PEs of other nodes at first contact.
// Threads: written before the node's record is published, read by any.
#ifndef CW_CORE_AGREEMENT_H
#define CW_CORE_AGREEMENT_H

#include <stdint.h>

/** How requests travel (core/route/setting.h). */
typedef struct cw_agreement_route {
    char name[10];           // of the topology; ends with a zero if it is shorter
    uint16_t nbuffers;       // with a topology
    uint32_t buffer_nbytes;  // the same
} cw_agreement_route_t;

typedef struct cw_agreement {
    uint64_t heap_nbytes;  // symmetric heap, rounded to pages
    // behind the heap, for a front end with segments of its own (core/mem/area.h)
    uint64_t area_nbytes;
    uint64_t data_nbytes;  // static data, whole pages
    uint64_t program;      // digest of the executable's identity
    uint16_t version;        // of the shared structures and of the wire
    uint16_t message_words;  // of 8 bytes: of the payload of an active message (core/am)
    uint32_t npes;
    cw_agreement_route_t route;
} cw_agreement_t;
_Static_assert(sizeof(cw_agreement_t) == 56, "shared between nodes");

/** This PE's. */
extern cw_agreement_t cw_agreement;

/** The variable that sets area_nbytes, for messages. */
extern const char *cw_agreement_area_setting;
/** And message_words. */
extern const char *cw_agreement_message_setting;

/** Compares with another PE's; whose: "PE 3 (host abc)". 0 or CW_EMISMATCH, reported. */
int cw_agreement_check(const cw_agreement_t *theirs, const char *whose);

#endif
