// SPDX-License-Identifier: BSD-3-Clause
//
// The message layer of ARMCI: messages between two processes and global operations. See armci(7).
// Threads: one at a time.
#ifndef ARMCI_MESSAGE_H
#define ARMCI_MESSAGE_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

int armci_msg_me(void);
int armci_msg_nproc(void);
/** Waits until all processes have called it. Completes nothing: ARMCI_Barrier does. */
void armci_msg_barrier(void);
void parmci_msg_barrier(void);
/** Seconds since some moment. */
double armci_timer(void);

#ifdef __cplusplus
}
#endif

#endif
