// SPDX-License-Identifier: BSD-3-Clause
//
// The copy of the environment that the library reads after the start.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"

static char **kept;

void cwu_env_keep(void)
{
    size_t n = 0, nbytes = 0;
    if (kept || !environ)
        return;
    for (; environ[n]; n++)
        nbytes += strlen(environ[n]) + 1;
    char **copy = malloc((n + 1) * sizeof *copy + nbytes);
    if (!copy)
        return;
    char *text = (char *)(copy + n + 1);
    for (size_t i = 0; i < n; i++) {
        copy[i] = text;
        text = stpcpy(text, environ[i]) + 1;
    }
    copy[n] = NULL;
    kept = copy;
}

bool cwu_env_is_kept(void)
{
    return kept;
}

char *cwu_env_kept(const char *name)
{
    size_t nbytes = strlen(name);
    for (char **p = kept; *p; p++)
        if (strncmp(*p, name, nbytes) == 0 && (*p)[nbytes] == '=')
            return *p + nbytes + 1;
    return NULL;
}
