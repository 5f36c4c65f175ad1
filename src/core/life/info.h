// SPDX-License-Identifier: BSD-3-Clause
#ifndef CW_CORE_INFO_H
#define CW_CORE_INFO_H

/** Prints version and environment table if SHMEM_VERSION or SHMEM_INFO ask for it (PE 0 only). */
void cw_info_print(void);

#endif
