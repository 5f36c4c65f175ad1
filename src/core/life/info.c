// SPDX-License-Identifier: BSD-3-Clause
//
// What SHMEM_VERSION and SHMEM_INFO ask for: PE 0 prints it on standard output at start-up.
#include <stdio.h>

#include "core/life/info.h"
#include "core/world/world.h"

void cw_info_print(void)
{
    if (cw_world.pe != 0)
        return;
    if (cwu_env.shmem_version || cwu_env.shmem_info)
        printf("Causeway " CAUSEWAY_VERSION ", OpenSHMEM 1.6\n");
    if (cwu_env.shmem_info) {
        cwu_env_row_t row;
        for (size_t i = 0; cwu_env_table(i, &row); i++)
            printf("%-24s default %-16s %s%s%s\n", row.name, row.def[0] ? row.def : "(none)",
                   row.meaning, row.given ? "; now: " : "", row.given ? row.given : "");
    }
    fflush(stdout);
}
