// SPDX-License-Identifier: BSD-3-Clause
//
// Symmetric memory at one address on all PEs (ADR 137, docs/design/static-data.md). Only programs
// rely on it: else the job goes on, and debugging messages say why.
#ifndef CW_CORE_ONE_ADDRESS_H
#define CW_CORE_ONE_ADDRESS_H

#include <stdint.h>

/** By a constructor of a front end with symmetric memory: may execute the program again, where a
 *  launcher randomises addresses. argv: main's. */
void cw_one_address_at_load(char *const *argv);

/** 0: no symmetric memory at an address of its own. */
void cw_one_address_is(uintptr_t origin);
/** As far as 32 bits go, to be compared: randomisation moves programs by less. */
uint32_t cw_one_address_page(void);
/** With a message once in a process; whose: "PE 3 (host abc)". */
void cw_one_address_compare(uint32_t theirs, const char *whose);

#endif
