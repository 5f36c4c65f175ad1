// SPDX-License-Identifier: BSD-3-Clause
//
// Picks the back end by the launcher that started this process: the most specific sign wins, unless
// CAUSEWAY_BOOTSTRAP names one. Where MPI connects the nodes, its connection to the launcher is not
// for two: there the PEs are MPI's processes, unless oshrun has started them.
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "bootstrap/bootstrap.h"

const char *cwb_never_lost(cwb_t *b)
{
    (void)b;
    return NULL;
}

int cwb_open(cwb_t *b)
{
    static const cwb_ops_t *const by_sign[] = {&cwb_launch, &cwb_pmix, &cwb_pmi1,
                                               &cwb_pmi2,   &cwb_mpi,  &cwb_single},
                                  *const mpi_first[] = {&cwb_launch, &cwb_mpi,  &cwb_pmix,
                                                        &cwb_pmi1,   &cwb_pmi2, &cwb_single};
    const cwb_ops_t *const *all = strcmp(cwu_env.transport, "mpi") == 0 ? mpi_first : by_sign;
    bool any = strcmp(cwu_env.bootstrap, "auto") == 0;
    if (cwb_mpi_is_chosen()) {
        memset(b, 0, sizeof *b);
        b->node_fd = -1;
        b->ops = &cwb_mpi;
        return b->ops->open(b);
    }
    for (size_t i = 0; i < sizeof by_sign / sizeof *by_sign; i++) {
        if (!any && strcmp(cwu_env.bootstrap, all[i]->name) != 0)
            continue;
        memset(b, 0, sizeof *b);
        b->node_fd = -1;
        b->ops = all[i];
        int rc = b->ops->open(b);
        if (rc != CW_ENOENT)
            return rc;
    }
    // Not reached by "auto": "single" never refuses.
    cwu_error("CAUSEWAY_BOOTSTRAP=%s, but this process was not started that way (causeway-info "
              "--env tells what the words "
              "mean)",
              cwu_env.bootstrap);
    return CW_ENOTSUP;
}
