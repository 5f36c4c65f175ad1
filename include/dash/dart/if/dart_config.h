// SPDX-License-Identifier: BSD-3-Clause
//
// DART 3.2: settings that a program may change while it runs.
#ifndef DART__IF__CONFIG_H__
#define DART__IF__CONFIG_H__

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where the settings are. They live as long as the process. */
void dart_config(dart_config_t **config_out) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
