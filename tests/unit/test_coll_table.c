// SPDX-License-Identifier: BSD-3-Clause
//
// The table of collective algorithms: each collective ends in rows that take every size and every
// number of nodes, so that no call is left without an algorithm; names are unique within a
// collective; CAUSEWAY_COLL marks its row.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "core/coll/describe.h"
#include "frame/check.h"

static const char *const collectives[] = {"broadcast", "collect", "fcollect", "alltoall",
                                          "alltoalls", "reduce",  "scan"};

/** True if a row for any size on so many nodes needs nothing that a group may lack. */
static int always_served(const char *collective, uint64_t nodes)
{
    cw_coll_row_t row;
    for (size_t i = 0; cw_coll_table(i, &row); i++)
        if (!strcmp(row.collective, collective) && row.least_nbytes == 0 &&
            row.most_nbytes == UINT64_MAX && row.least_nodes <= nodes && nodes <= row.most_nodes &&
            !strstr(row.needs, "scratch") && !strstr(row.needs, "room") &&
            !strstr(row.needs, "neighbours") && !strstr(row.needs, "together") &&
            !strstr(row.needs, "unknown"))
            return 1;
    return 0;
}

static void served(void)
{
    for (size_t k = 0; k < sizeof collectives / sizeof collectives[0]; k++)
        for (uint64_t nodes = 1; nodes <= 100000; nodes = nodes < 20 ? nodes + 1 : nodes * 10)
            CHECK(always_served(collectives[k], nodes));
}

static void unique(void)
{
    cw_coll_row_t a, b;
    for (size_t i = 0; cw_coll_table(i, &a); i++)
        for (size_t j = 0; j < i && cw_coll_table(j, &b); j++)
            CHECK(strcmp(a.collective, b.collective) || strcmp(a.algorithm, b.algorithm));
}

static size_t load(const char *value, char names[200])
{
    cw_coll_row_t row;
    size_t n = 0;
    setenv("CAUSEWAY_COLL", value, 1);
    cwu_env_load();
    cw_coll_choices_load();
    names[0] = 0;
    for (size_t i = 0; cw_coll_table(i, &row); i++)
        if (row.forced) {
            n++;
            strcat(strcat(strcat(strcat(names, row.collective), "="), row.algorithm), " ");
        }
    return n;
}

static void forced(void)
{
    char names[200];
    CHECK(load("", names) == 0);
    CHECK(load("scan=columns,reduce=ring", names) == 2 &&
          !strcmp(names, "reduce=ring scan=columns "));
    // the last one counts
    CHECK(load("reduce=ring,reduce=fetch,", names) == 1 && !strcmp(names, "reduce=fetch "));
}

int main(void)
{
    served();
    unique();
    forced();
    return check_result();
}
