// SPDX-License-Identifier: BSD-3-Clause
//
// Misspelt variable names: finds CAUSEWAY_* and SHMEM_* names in the environment that no table row
// knows, and other libraries' names for what a row means.
// Threads: call while no other thread changes the environment.
#ifndef CW_BASE_ENV_NAMES_H
#define CW_BASE_ENV_NAMES_H

/** The known name that takes the fewest edits to reach from `name`. Never NULL. */
const char *cwu_env_nearest(const char *name);

/** Warns once for each such name in the environment. PE 0 does it for the job. */
void cwu_env_warn_unknown(void);

#endif
