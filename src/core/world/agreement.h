// SPDX-License-Identifier: BSD-3-Clause
//
// What all PEs of a job must have in common: compared within a node when they join, between nodes
// at first contact. Threads: written, by core/route, core/mem and core/am, before the node's record
// is published; read by any.
#ifndef CW_CORE_AGREEMENT_H
#define CW_CORE_AGREEMENT_H

#include <stdint.h>

/** How requests travel (core/route/setting.h). */
typedef struct cw_agreement_route {
    char name[10];           // of the topology; a shorter one ends with a zero
    uint16_t nbuffers;       // with a topology
    uint32_t buffer_nbytes;  // the same
} cw_agreement_route_t;

typedef struct cw_agreement {
    uint64_t heap_nbytes;  // rounded to pages
    // behind the heap, for a front end's segments (core/mem/area.h)
    uint64_t area_nbytes;
    uint64_t data_nbytes;  // static data, whole pages
    uint64_t program;      // digest of the executable's identity
    uint16_t version;        // of shared structures and wire
    uint16_t message_words;  // of 8 bytes: payload of an active message
    uint32_t settings;       // those on which collective calls depend, and CAUSEWAY_ATOMICS
    cw_agreement_route_t route;
} cw_agreement_t;
_Static_assert(sizeof(cw_agreement_t) == 56, "shared between nodes");

/** This PE's. */
extern cw_agreement_t cw_agreement;

/** The variable that sets area_nbytes, for messages. */
extern const char *cw_agreement_area_setting;
/** And message_words. */
extern const char *cw_agreement_message_setting;

/** Of the environment, for the field of that name. */
uint32_t cw_agreement_settings(void);

/** whose: "PE 3 (host abc)". 0 or CW_EMISMATCH, reported. */
int cw_agreement_check(const cw_agreement_t *theirs, const char *whose);

#endif
