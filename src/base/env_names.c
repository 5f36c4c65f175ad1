// SPDX-License-Identifier: BSD-3-Clause
//
// Warns of misspelt variable names (env_names.h).
#include "base/env_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"

enum { NAME_MAX_LENGTH = 63 };

// Names (or families, by prefix) that the launcher and the tests set for themselves.
static const char *const internal_prefixes[] = {
#define CW_ENV(field, kind, name, old, def, meaning)
#define CW_ENV_INTERNAL(prefix, meaning) prefix,
#include "base/env.def"
#undef CW_ENV_INTERNAL
#undef CW_ENV
};

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

/** Edits (insert, delete, replace) between two names, both cut at NAME_MAX_LENGTH; one row at a
 *  time. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[NAME_MAX_LENGTH + 1];
    size_t na = strnlen(a, NAME_MAX_LENGTH), nb = strnlen(b, NAME_MAX_LENGTH);
    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = min3(row[j] + 1, row[j - 1] + 1, replaced);
        }
    }
    return row[nb];
}

const char *cwu_env_nearest(const char *name)
{
    const char *best = "";
    size_t best_distance = (size_t)-1;
    cwu_env_row_t row;
    for (size_t i = 0; cwu_env_table(i, &row); i++) {
        size_t distance = edit_distance(name, row.name);
        if (distance < best_distance) {
            best_distance = distance;
            best = row.name;
        }
    }
    return best;
}

static bool is_known(const char *name)
{
    cwu_env_row_t row;
    for (size_t i = 0; cwu_env_table(i, &row); i++)
        if (strcmp(name, row.name) == 0)
            return true;
    for (size_t i = 0; i < sizeof(internal_prefixes) / sizeof(internal_prefixes[0]); i++)
        if (strncmp(name, internal_prefixes[i], strlen(internal_prefixes[i])) == 0)
            return true;
    return false;
}

void cwu_env_warn_unknown(void)
{
    extern char **environ;
    for (char **entry = environ; entry && *entry; entry++) {
        size_t len = strcspn(*entry, "=");
        if (strncmp(*entry, "CAUSEWAY_", 9) != 0)
            continue;
        char name[256];
        snprintf(name, sizeof(name), "%.*s", (int)len, *entry);
        if (!is_known(name))
            cwu_warn("environment variable %s is not known; did you mean %s? (causeway-info --env "
                     "lists them all)",
                     name, cwu_env_nearest(name));
    }
}
