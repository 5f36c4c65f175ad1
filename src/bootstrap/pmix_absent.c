// SPDX-License-Identifier: BSD-3-Clause
//
// In the place of the back end for PMIx, where the library is built without (-Dpmix=disabled): a
// launcher that speaks PMIx gets a message instead of as many jobs of one PE.
#include <stdlib.h>

#include "base/error.h"
#include "bootstrap/bootstrap.h"

static int absent_open(cwb_t *b)
{
    (void)b;
    // set by the launcher, not a setting of this library
    if (!getenv("PMIX_NAMESPACE") || !getenv("PMIX_RANK"))
        return CW_ENOENT;
    cwu_error("a launcher that speaks PMIx has started this process, but Causeway was built "
              "without (meson option pmix); start it by oshrun, Hydra or srun --mpi=pmi2, or set "
              "CAUSEWAY_BOOTSTRAP=single for a job of one PE");
    return CW_ENOTSUP;
}

// Nothing is called but open, which never succeeds.
const cwb_ops_t cwb_pmix = {.name = "pmix", .open = absent_open};
