// SPDX-License-Identifier: BSD-3-Clause
//
// Which launcher started us? The most specific sign wins.
#include <string.h>

#include "base/error.h"
#include "bootstrap/bootstrap.h"

int cwb_open(cwb_t *b)
{
    static const cwb_ops_t *const all[] = {&cwb_launch, &cwb_pmix, &cwb_pmi1, &cwb_single};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        memset(b, 0, sizeof *b);
        b->node_fd = -1;
        b->ops = all[i];
        int rc = b->ops->open(b);
        if (rc != CW_ENOENT)
            return rc;
    }
    return CW_ENOENT;  // not reached: "single" never refuses
}
