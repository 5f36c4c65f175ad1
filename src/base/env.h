// SPDX-License-Identifier: BSD-3-Clause
//
// Every environment variable the library reads stands in one table, base/env.def:
//   CW_ENV(field, kind, "NAME", "OLDNAME or \"\"", "default", "meaning")
// with kind one of BOOL, ANYBOOL, INT, REAL, SIZE, STRING. cwu_env_load() parses them all once at
// start: an invalid value is a fatal error that quotes name, value and what is accepted.
// cwu_env_warn_unknown() (base/env/names.h), called once a job, warns of unknown CAUSEWAY_* names
// and names the nearest known one. No other file calls getenv(). Threads: load once before threads
// exist, read freely afterwards.
#ifndef CW_BASE_ENV_H
#define CW_BASE_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strings.h>

typedef bool cwu_env_BOOL;
typedef bool cwu_env_ANYBOOL;  // any value but a clear no is a yes
typedef long cwu_env_INT;
typedef double cwu_env_REAL;  // not negative; a point, an exponent, a fraction "3/8"
typedef size_t cwu_env_SIZE;  // bytes; floating point and suffixes k m g t (1024-based, any case,
                              // optional b) accepted
typedef const char *cwu_env_STRING;  // NULL when unset and the default is ""

typedef struct cwu_env {
#define CW_ENV(field, kind, name, old, def, meaning) \
    cwu_env_##kind field;                            \
    bool field##_set; /* given by the user, not the default */
#include "base/env.def"
#undef CW_ENV
} cwu_env_t;

extern cwu_env_t cwu_env;

/** Parses the environment into cwu_env; fatal on invalid values. */
void cwu_env_load(void);

/** One row of the table, for causeway-info --env. Returns false past the end. */
typedef struct cwu_env_row {
    const char *name, *old_name, *kind, *def, *meaning;
    const char *given;  // the user's value at the last cwu_env_load, or NULL
} cwu_env_row_t;
bool cwu_env_table(size_t i, cwu_env_row_t *row_p);

/** The name of the variable behind a field of cwu_env, for messages: CWU_ENV_NAME(check). */
#define CWU_ENV_NAME(field) cwu_env_name(offsetof(cwu_env_t, field))
const char *cwu_env_name(size_t field_offset);

/** Copies the whole environment, once a process, so that threads of the library may read it while
 *  the program changes its own. The copy is never freed: pointers into it stay valid. */
void cwu_env_keep(void);
bool cwu_env_is_kept(void);
/** getenv in that copy, which must exist. */
char *cwu_env_kept(const char *name);

/** getenv, for front ends whose interface includes it. */
const char *cwu_env_get(const char *name);

/** A setting's yes and no, for oshrun, too, which has no table. */
static inline bool cwu_is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcasecmp(text, *words) == 0)
            return true;
    return false;
}

static inline bool cwu_is_yes(const char *text)
{
    static const char *const yes[] = {"1", "y", "yes", "true", "on", NULL};
    return cwu_is_one_of(text, yes);
}

static inline bool cwu_is_no(const char *text)
{
    static const char *const no[] = {"0", "n", "no", "false", "off", NULL};
    return cwu_is_one_of(text, no);
}

/** Parses "1.5G", "512m", "1e6", "4096". Returns 0 or CW_EINVAL (also for negatives, NaN and
 *  overflow). */
int cwu_parse_size(const char *text, size_t *nbytes_p);

#endif
