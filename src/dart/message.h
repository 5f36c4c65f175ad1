// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between two units: while joining and leaving.
#ifndef DRT_MESSAGE_H
#define DRT_MESSAGE_H

#include "dart/drt.h"

void drt_messages_open(const char *call);
/** After a barrier: what was not received is dropped. */
void drt_messages_close(void);

#endif
