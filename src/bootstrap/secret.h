// SPDX-License-Identifier: BSD-3-Clause
#ifndef CW_BOOTSTRAP_SECRET_H
#define CW_BOOTSTRAP_SECRET_H

#include "bootstrap/bootstrap.h"

/** For back ends whose launcher gives the job no secret: PE 0 draws one and puts it. 0, or an error
 *  (reported). */
int cwb_publish_secret(cwb_t *b);

#endif
