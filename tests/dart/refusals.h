// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of codes, which make wrong calls on purpose: no lines about them, which the runner would
// take for failures. What lines say is tested by misuse.
#ifndef TESTS_DART_REFUSALS_H
#define TESTS_DART_REFUSALS_H

#include <dash/dart/if/dart.h>

static inline void refuse_without_lines(void)
{
    dart_config_t *config = NULL;
    dart_config(&config);
    config->log_enabled = 0;
}

#endif
