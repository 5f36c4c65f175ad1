// SPDX-License-Identifier: BSD-3-Clause
//
// What libfabric looks for although this machine cannot have it, and how it is spared that.
//
// Distributions build libfabric with every provider. Loading Debian's 1.17 takes 0.2 s asleep and
// 0.11 s of processor: the libraries of two fabrics (psm, psm2) measure the clock for 0.1 s each
// when they are loaded, and the verbs provider reads all names of the kernel's functions, twice,
// before it looks for devices. Where the kernel knows no RDMA device at all, neither can matter:
// stand-ins take the place of those libraries, and the list of names is not there. Nothing is
// decided for the provider: it looks for its devices as ever, and finds none, as ever.
// CAUSEWAY_PROBE=all: none of this.
//
// Threads: under load.c's lock. Blocking: never.
#ifndef CWT_OFI_ABSENT_H
#define CWT_OFI_ABSENT_H

#include <stdbool.h>

/** Does the kernel show no device of RDMA, and may that be used? */
bool ofi_absent_rdma(void);

enum { OFI_STAND_INS = 2 };
/** Loads the stand-ins, before libfabric. handles: to be given back, NULL where there is none. */
void ofi_stand_ins_load(void *handles[OFI_STAND_INS]);
/** After libfabric was loaded, which keeps what it uses. */
void ofi_stand_ins_drop(void *handles[OFI_STAND_INS]);

/** From here on libfabric finds no list of the kernel's names; until ofi_names_show. After dlopen,
 *  around the first fi_getinfo. */
void ofi_names_hide(void *libfabric);
void ofi_names_show(void);

#endif
