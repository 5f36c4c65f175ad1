// SPDX-License-Identifier: BSD-3-Clause
//
// Symmetric memory at one address on all PEs (ADR 137): programs lie at one address where they are
// linked so, or where addresses are not randomised; heaps lie at a fixed distance above. Nothing
// relies on it but programs, so where it cannot be had the job goes on, and debugging messages say
// why.
#ifndef CW_CORE_ONE_ADDRESS_H
#define CW_CORE_ONE_ADDRESS_H

#include <stdint.h>

/** By a constructor of a front end whose memory is symmetric, with main's arguments: may execute
 *  the program again, before main, in processes of a launcher that randomises addresses. */
void cw_one_address_at_load(char *const *argv);

/** Where this PE's symmetric memory begins; 0: it has none at an address of its own. */
void cw_one_address_is(uintptr_t origin);
/** That in pages, as far as 32 bits go: what PEs compare. Randomisation moves programs by less. */
uint32_t cw_one_address_page(void);
/** Compares with another PE's, once in a process with a message; whose: "PE 3 (host abc)". */
void cw_one_address_compare(uint32_t theirs, const char *whose);

#endif
