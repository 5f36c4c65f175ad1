// SPDX-License-Identifier: BSD-3-Clause
//
// What people type who know other launchers: hosts that are this machine, settings of Open MPI,
// names that are nearly right.
#include <string.h>
#include <unistd.h>

#include "oshrun.h"

size_t foreign_distance(const char *a, const char *b)
{
    enum { MOST = 40 };
    size_t row[MOST + 1], n = strlen(b);
    if (strlen(a) > MOST || n > MOST)
        return MOST;
    for (size_t k = 0; k <= n; k++)
        row[k] = k;
    for (size_t i = 0; a[i]; i++) {
        size_t corner = row[0]++;
        for (size_t k = 0; k < n; k++) {
            size_t change = corner + (a[i] != b[k]),
                   other = row[k] < row[k + 1] ? row[k] : row[k + 1];
            corner = row[k + 1];
            row[k + 1] = change < other + 1 ? change : other + 1;
        }
    }
    return row[n];
}

bool foreign_is_this_machine(const char *hosts)
{
    char host[256] = "";
    size_t length = strcspn(hosts, ":");
    if (strchr(hosts, ',') || gethostname(host, sizeof host - 1) != 0)
        return false;
    const char *const names[] = {"localhost", "127.0.0.1", host};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(hosts, names[i], length))
            return true;
    return false;
}

void options_say_ignored(const options_t *opt)
{
    if (opt->nmca)
        say("%s %s %s%s: a setting of Open MPI, without a meaning here, is ignored", opt->mca[0],
            opt->mca[1], opt->mca[2], opt->nmca > 3 ? " (and others)" : "");
}
