// SPDX-License-Identifier: BSD-3-Clause
//
// Warns of misspelt variable names (names.h).
#include "base/env/names.h"

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
        if (strcmp(name, row.name) == 0 || (row.old_name && strcmp(name, row.old_name) == 0))
            return true;
    for (size_t i = 0; i < sizeof(internal_prefixes) / sizeof(internal_prefixes[0]); i++)
        if (strncmp(name, internal_prefixes[i], strlen(internal_prefixes[i])) == 0)
            return true;
    return false;
}

static bool begins(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool ends(const char *name, const char *suffix)
{
    size_t n = strlen(name), length = strlen(suffix);
    return n >= length && strcmp(name + n - length, suffix) == 0;
}

/** Variables of other libraries that mean what one of these means. */
static const struct {
    const char *theirs, *ours;
} translations[] = {
#define CW_ENV(field, kind, name, old, def, meaning)
#define CW_ENV_FOREIGN(theirs, ours) {theirs, ours},
#include "base/env.def"
#undef CW_ENV_FOREIGN
#undef CW_ENV
};

static const char *translated(const char *name)
{
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++)
        if (strcmp(name, translations[i].theirs) == 0)
            return translations[i].ours;
    return NULL;
}

/** Set where a library is installed, not for it. */
static bool is_place(const char *name)
{
    static const char *const suffixes[] = {"_DIR",    "_HOME", "_ROOT",    "_PATH",
                                           "_PREFIX", "_LIB",  "_INCLUDE", "_VERSION"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ends(name, suffixes[i]))
            return true;
    return false;
}

/** Of the variables that an interface's specification begins so. */
static bool is_of_family(const char *name)
{
    static const char *const prefixes[] = {
#define CW_ENV(field, kind, name, old, def, meaning)
#define CW_ENV_FAMILY(prefix) prefix,
#include "base/env.def"
#undef CW_ENV_FAMILY
#undef CW_ENV
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (begins(name, prefixes[i]))
            return true;
    return false;
}

static void warn_unless_known(const char *name)
{
    const char *ours = translated(name);
    if (ours)
        cwu_warn("environment variable %s is another library's; did you mean %s? (causeway-info "
                 "--env lists them all)",
                 name, ours);
    else if ((begins(name, "CAUSEWAY_") || (is_of_family(name) && !is_place(name))) &&
             !is_known(name))
        cwu_warn("environment variable %s is not known; did you mean %s? (causeway-info --env "
                 "lists them all)",
                 name, cwu_env_nearest(name));
}

void cwu_env_warn_unknown(void)
{
    extern char **environ;
    for (char **entry = environ; entry && *entry; entry++) {
        char name[256];
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(*entry, "="), *entry);
        warn_unless_known(name);
    }
}
