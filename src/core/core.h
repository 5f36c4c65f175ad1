// SPDX-License-Identifier: BSD-3-Clause
//
// The door of core for front ends; no file of core includes it.
//
// Blocking: calls marked [waits] may block; all blocking ends in a sleep and makes progress for
// others. Errors: calls that return int give 0 or CW_E…, reported; RMA, atomics and ordering have
// none: a lost peer ends the job. Threads: as granted; with THREAD_MULTIPLE any thread may use any
// context but others' private ones.
#ifndef CW_CORE_CORE_H
#define CW_CORE_CORE_H

#include "core/life/life.h"
#include "core/mem/gather.h"
#include "core/mem/memory.h"
#include "core/observe/address.h"
#include "core/observe/check.h"
#include "core/observe/known.h"
#include "core/port/check.h"
#include "core/progress/wait.h"
#include "core/rma/amo.h"
#include "core/rma/context.h"
#include "core/rma/rma.h"
#include "core/world/world.h"

#endif
