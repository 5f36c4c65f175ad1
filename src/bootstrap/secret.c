// SPDX-License-Identifier: BSD-3-Clause
//
// Draws and publishes the job's secret where the launcher has none.
#include "bootstrap/secret.h"

#include <sys/random.h>

#include "base/error.h"

int cwb_publish_secret(cwb_t *b)
{
    unsigned char secret[16];
    if (b->pe != 0)
        return 0;
    if (getrandom(secret, sizeof secret, 0) != sizeof secret) {
        cwu_error("cannot draw the job's secret: getrandom failed");
        return CW_ESYS;
    }
    return b->ops->put(b, "secret", secret, sizeof secret);
}
