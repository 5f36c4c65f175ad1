// SPDX-License-Identifier: BSD-3-Clause
//
// Parses the environment into cwu_env by the table in env.def. Numbers are parsed by hand: strtod
// would follow the program's locale and take "inf" and hexadecimal.
#include "base/env.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

cwu_env_t cwu_env;

typedef enum kind { KIND_BOOL, KIND_ANYBOOL, KIND_INT, KIND_REAL, KIND_SIZE, KIND_STRING } kind_t;

typedef struct var {
    cwu_env_row_t row;
    kind_t kind;
    size_t offset, set_offset;  // of the field and its _set flag in cwu_env_t
} var_t;

static const var_t vars[] = {
#define CW_ENV(field, kind, name, old, def, meaning) \
    {{name, old, #kind, def, meaning, NULL},         \
     KIND_##kind,                                    \
     offsetof(cwu_env_t, field),                     \
     offsetof(cwu_env_t, field##_set)},
#include "base/env.def"
#undef CW_ENV
};
enum { NVARS = sizeof(vars) / sizeof(vars[0]) };

static const char *given[NVARS];  // points into the environment

typedef struct choice {
    const char *name, *values;  // "a|b|c"
} choice_t;

typedef struct range {
    const char *name;
    long min, max;
} range_t;

#define CW_ENV(field, kind, name, old, def, meaning)
static const choice_t choices[] = {
#define CW_ENV_CHOICE(name, values) {name, values},
#include "base/env.def"
#undef CW_ENV_CHOICE
};
typedef struct also {
    size_t field, other;  // offsets of two switches: the second sets the first
} also_t;

static const range_t ranges[] = {
#define CW_ENV_RANGE(name, min, max) {name, min, max},
#include "base/env.def"
#undef CW_ENV_RANGE
};
static const also_t alsos[] = {
#define CW_ENV_ALSO(field, other) {offsetof(cwu_env_t, field), offsetof(cwu_env_t, other)},
#include "base/env.def"
#undef CW_ENV_ALSO
};
#undef CW_ENV

bool cwu_env_table(size_t i, cwu_env_row_t *row_p)
{
    if (i >= NVARS)
        return false;
    *row_p = vars[i].row;
    row_p->given = given[i];
    return true;
}

const char *cwu_env_name(size_t field_offset)
{
    for (size_t i = 0; i < NVARS; i++)
        if (vars[i].offset == field_offset)
            return vars[i].row.name;
    return "";
}

// ---------------------------------------------------------------- values

/** Parses digits with at most one point; *p is left behind them. False without any digit. */
static bool parse_mantissa(const char **p, long double *value_p)
{
    long double value = 0, unit = 1;
    bool point = false, any = false;
    for (;; (*p)++) {
        if (isdigit((unsigned char)**p)) {
            any = true;
            if (point)
                value += (**p - '0') * (unit /= 10);
            else
                value = value * 10 + (**p - '0');
        } else if (**p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    *value_p = value;
    return any;
}

/** An optional exponent "e12", "E-3" scales the value. */
static void parse_exponent(const char **p, long double *value_p)
{
    if (**p != 'e' && **p != 'E')
        return;
    const char *s = *p + 1;
    bool negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    if (!isdigit((unsigned char)*s))
        return;  // the caller finds the 'e' and rejects it
    int exponent = 0;
    for (; isdigit((unsigned char)*s); s++)
        if (exponent < 1000)
            exponent = exponent * 10 + (*s - '0');
    for (; exponent > 0; exponent--)
        *value_p = negative ? *value_p / 10 : *value_p * 10;
    *p = s;
}

static int suffix_shift(char c)
{
    switch (tolower((unsigned char)c)) {
    case 'k':
        return 10;
    case 'm':
        return 20;
    case 'g':
        return 30;
    case 't':
        return 40;
    default:
        return 0;
    }
}

int cwu_parse_size(const char *text, size_t *nbytes_p)
{
    const char *p = text;
    while (isspace((unsigned char)*p))
        p++;
    if (*p == '+')
        p++;
    long double value;
    if (!parse_mantissa(&p, &value))
        return CW_EINVAL;
    parse_exponent(&p, &value);
    int shift = suffix_shift(*p);
    if (shift == 0) {  // the specification ignores what follows a multiplier ("20kk" is 20k)
        if (*p == 'b' || *p == 'B')
            p++;
        while (isspace((unsigned char)*p))
            p++;
        if (*p != '\0')
            return CW_EINVAL;
    }
    value *= (long double)((uint64_t)1 << shift);
    if (!(value < (long double)PTRDIFF_MAX))  // also NaN and infinity, from huge exponents
        return CW_EINVAL;
    size_t whole = (size_t)value;
    *nbytes_p = whole + ((long double)whole < value);  // a fraction of a byte is rounded up
    return CW_OK;
}

/** A clear yes or no; where any value counts, what is no clear no is a yes. */
static int parse_bool(const char *text, bool any, bool *value_p)
{
    if (cwu_is_no(text))
        *value_p = false;
    else if (any || cwu_is_yes(text))
        *value_p = true;
    else
        return CW_EINVAL;
    return CW_OK;
}

/** What does not fit is LONG_MAX or LONG_MIN, which no range contains. */
static int parse_int(const char *text, long *value_p)
{
    char *end;
    *value_p = strtol(text, &end, 10);
    if (end == text)
        return CW_EINVAL;
    while (isspace((unsigned char)*end))
        end++;
    return *end != '\0' ? CW_EINVAL : CW_OK;
}

/** "10", "0.25", "1e3", "3/8". */
static int parse_real(const char *text, double *value_p)
{
    const char *p = text + strspn(text, " \t");
    long double value, below = 1;
    if (*p == '+')
        p++;
    if (!parse_mantissa(&p, &value))
        return CW_EINVAL;
    parse_exponent(&p, &value);
    if (*p == '/') {
        p++;
        if (!parse_mantissa(&p, &below))
            return CW_EINVAL;
        parse_exponent(&p, &below);
    }
    p += strspn(p, " \t");
    if (*p != '\0' || !(below > 0))
        return CW_EINVAL;
    *value_p = (double)(value / below);
    return CW_OK;
}

/** A number without a row in the table may be any. */
static range_t range_of(const char *name)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        if (strcmp(ranges[i].name, name) == 0)
            return ranges[i];
    return (range_t){name, LONG_MIN, LONG_MAX};
}

static void refuse_beyond(const range_t *range, const char *name, const char *text)
{
    cwu_fatal("%s=\"%s\" is out of range: give a number from %ld to %ld", name, text, range->min,
              range->max);
}

/** Reads a whole number, from `name`, by the range of the variable. */
static void set_int(long *field, const var_t *var, const char *name, const char *text)
{
    const range_t range = range_of(var->row.name);
    if (parse_int(text, field))
        cwu_fatal("%s=\"%s\" is not a whole number: give one from %ld to %ld", name, text,
                  range.min, range.max);
    if (*field < range.min || *field > range.max)
        refuse_beyond(&range, name, text);
}

static void set_real(double *field, const var_t *var, const char *name, const char *text)
{
    const range_t range = range_of(var->row.name);
    *field = 0;  // where there is no default
    if (*text && parse_real(text, field))
        cwu_fatal("%s=\"%s\" is not a number: give one from %ld to %ld, such as 10, 0.5 or 3/8",
                  name, text, range.min, range.max);
    if (!(*field >= (double)range.min && *field <= (double)range.max))
        refuse_beyond(&range, name, text);
}

static void check_choice(const char *name, const char *text)
{
    const char *values = NULL;
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
        if (strcmp(choices[i].name, name) == 0)
            values = choices[i].values;
    if (!values)
        return;
    size_t len = strlen(text);
    for (const char *p = values; *p;) {
        size_t word = strcspn(p, "|");
        if (word == len && memcmp(p, text, len) == 0)
            return;
        p += word + (p[word] == '|');
    }
    cwu_fatal("%s=\"%s\" is not known: give one of %s", name, text, values);
}

static void set_string(const char **field, const char *name, const char *text)
{
    *field = *text ? strdup(text) : NULL;
    if (*text && !*field)
        cwu_fatal("out of memory while reading %s", name);
}

/** Stores `text`, which came from the variable `name` (the old or the new one) or is the
 *  default, which needs no check. */
static void set_var(const var_t *var, const char *name, const char *text)
{
    void *field = (char *)&cwu_env + var->offset;
    const bool is_default = text == var->row.def;
    switch (var->kind) {
    case KIND_BOOL:
    case KIND_ANYBOOL:
        if (parse_bool(text, var->kind == KIND_ANYBOOL, field))
            cwu_fatal("%s=\"%s\" is neither yes nor no: give 0 or 1", name, text);
        break;
    case KIND_INT:
        set_int(field, var, name, text);
        break;
    case KIND_REAL:
        set_real(field, var, name, text);
        break;
    case KIND_SIZE:
        if (cwu_parse_size(text, field))
            cwu_fatal("%s=\"%s\" is not a size: give a number of bytes from 0 to 8388607T, such as "
                      "1048576, 512M or 1.5G (suffix K, M, G or T)",
                      name, text);
        break;
    case KIND_STRING:
        if (!is_default)
            check_choice(var->row.name, text);
        set_string(field, var->row.name, text);
        break;
    }
}

static void free_strings(void)
{
    for (size_t i = 0; i < NVARS; i++)
        if (vars[i].kind == KIND_STRING) {
            char **field = (char **)((char *)&cwu_env + vars[i].offset);
            free(*field);
            *field = NULL;
        }
}

// What the environment has that begins as nearly all names do, which is little: a search through
// all of it for each name is a tenth of the start.
#define OURS "CAUSEWAY_"
static struct {
    const char *at[32];
    size_t n;  // more than there is room for: getenv finds them
} ours;
enum { OURS_MOST = sizeof ours.at / sizeof ours.at[0] };

static void find_ours(void)
{
    ours.n = 0;
    for (char **at = environ; at && *at && ours.n <= OURS_MOST; at++)
        if (strncmp(*at, OURS, strlen(OURS)) == 0 && ours.n++ < OURS_MOST)
            ours.at[ours.n - 1] = *at;
}

static const char *find_value(const char *name)
{
    if (ours.n > OURS_MOST || strncmp(name, OURS, strlen(OURS)) != 0)
        return getenv(name);
    const size_t n = strlen(name);
    for (size_t i = 0; i < ours.n; i++)
        if (strncmp(ours.at[i], name, n) == 0 && ours.at[i][n] == '=')
            return ours.at[i] + n + 1;
    return NULL;
}

static const char *user_value(const char *name)
{
    const char *text = *name ? find_value(name) : NULL;
    return text && *text ? text : NULL;  // empty counts as unset
}

const char *cwu_env_get(const char *name)
{
    return getenv(name);
}

/** Named relative to where the program was started; it is loaded later. */
static void make_absolute(const char **path)
{
    char *found = *path && strchr(*path, '/') && **path != '/' ? realpath(*path, NULL) : NULL;
    if (found) {
        free((char *)(uintptr_t)*path);
        *path = found;
    }
}

void cwu_env_load(void)
{
    free_strings();
    find_ours();
    for (size_t i = 0; i < NVARS; i++) {
        const cwu_env_row_t *row = &vars[i].row;
        const char *name = row->name, *text = user_value(name);
        if (!text && (text = user_value(row->old_name)))
            name = row->old_name;
        *(bool *)((char *)&cwu_env + vars[i].set_offset) = text != NULL;
        given[i] = text;
        set_var(&vars[i], name, text ? text : row->def);
    }
    for (size_t i = 0; i < sizeof alsos / sizeof alsos[0]; i++)
        if (*(bool *)((char *)&cwu_env + alsos[i].other))
            *(bool *)((char *)&cwu_env + alsos[i].field) = true;
    make_absolute(&cwu_env.libfabric);
}
