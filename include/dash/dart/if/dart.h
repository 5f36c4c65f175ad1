// SPDX-License-Identifier: BSD-3-Clause
//
// DART 3.2, the runtime interface of DASH. Processes are units. A global pointer names memory of a
// unit: by team, segment and offset. man 7 dart says what Causeway has of it.
#ifndef DART__DART_H_
#define DART__DART_H_

#define DART_VERSION_STR "3.2.0"
#define DART_BUILD_STR (__DATE__ " " __TIME__)

#include <dash/dart/if/dart_types.h>
// after the types
#include <dash/dart/if/dart_config.h>
#include <dash/dart/if/dart_initialization.h>
#include <dash/dart/if/dart_team_group.h>
// after teams
#include <dash/dart/if/dart_globmem.h>
// after global pointers
#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_synchronization.h>

#endif
