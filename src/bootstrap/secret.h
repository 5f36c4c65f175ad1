// SPDX-License-Identifier: BSD-3-Clause
//
// The secret of a job whose launcher provides none.
#ifndef CW_BOOTSTRAP_SECRET_H
#define CW_BOOTSTRAP_SECRET_H

#include "bootstrap/bootstrap.h"

/** PE 0 draws the job's secret and puts it, for launchers that provide none. 0, or an error
 *  (reported). */
int cwb_publish_secret(cwb_t *b);

#endif
