// SPDX-License-Identifier: BSD-3-Clause
//
// The door of core for front ends. What each room offers stands in the room's own header; inside of
// core no file includes this one.
//
// Blocking: calls marked [waits] may block; all blocking ends in a sleep, and every wait makes
// progress for others. Errors: calls that return int give 0 or CW_E…, already reported. RMA,
// atomics and ordering have no error return: a lost peer is fatal for the job (the message names
// PE, node, host and call). Threads: as shmem_init_thread granted. With THREAD_MULTIPLE any thread
// may use any context but the private ones of others.
#ifndef CW_CORE_CORE_H
#define CW_CORE_CORE_H

#include "core/life/life.h"
#include "core/mem/gather.h"
#include "core/mem/memory.h"
#include "core/observe/address.h"
#include "core/observe/check.h"
#include "core/observe/known.h"
#include "core/progress/wait.h"
#include "core/rma/amo.h"
#include "core/rma/check.h"
#include "core/rma/context.h"
#include "core/rma/rma.h"
#include "core/world/world.h"

#endif
