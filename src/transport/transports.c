// SPDX-License-Identifier: BSD-3-Clause
//
// The transports. To add one: a folder with a table of operations (transport.h), and a row here.
#include "transport/table.h"

#include <string.h>

#include "base/error.h"
#include "transport/delay/delay.h"
#include "transport/describe.h"
#include "transport/mpi/mpi.h"
#include "transport/ofi/ofi.h"

static const struct {
    const char *name;
    const cwt_ops_t *ops;
    int (*describe)(void (*line)(const char *text));
} transports[] = {
    {"ofi", &cwt_ofi, ofi_describe},
    {"mpi", &cwt_mpi, mpw_describe},
};

enum { COUNT = sizeof transports / sizeof transports[0] };

int cwt_find(const char *name, const cwt_delay_config_t *delay, const cwt_ops_t **ops_p)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(transports[i].name, name) == 0) {
            if (delay)
                return cwt_delay_wrap(transports[i].ops, delay, ops_p);
            *ops_p = transports[i].ops;
            return 0;
        }
    cwu_error("there is no transport \"%s\"", name);
    return CW_ENOENT;
}

int cwt_describe(void (*line)(const char *text))
{
    int result = 0;
    for (int i = 0; i < COUNT; i++) {
        int rc = transports[i].describe(line);
        result = result ? result : rc;
    }
    return result;
}
