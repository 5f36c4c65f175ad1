// SPDX-License-Identifier: BSD-3-Clause
//
// Environment variables that a program names. Those of the library are in base/env.def.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "tools.h"

// ---------------------------------------------------------------- numbers
static const char units[] = "BKMGTPE";

char *gasnett_format_number(int64_t val, char *buf, size_t bufsz, int is_mem_size)
{
    size_t unit = 0;
    if (is_mem_size)
        while (val != 0 && val % 1024 == 0 && units[unit + 1]) {
            val /= 1024;
            unit++;
        }
    if (!is_mem_size)
        snprintf(buf, bufsz, "%" PRIi64, val);
    else
        snprintf(buf, bufsz, "%" PRIi64 " %c%s", val, units[unit], unit ? "B" : "");
    return buf;
}

/** The factor of "KB", "k", "" and so on; 0 if it is none. */
static uint64_t unit_factor(const char *text, uint64_t without)
{
    while (isspace((unsigned char)*text))
        text++;
    if (!*text)
        return without;
    const char *unit = strchr(units, toupper((unsigned char)*text));
    if (!unit)
        return 0;
    text++;
    if (unit != units && toupper((unsigned char)*text) == 'B')
        text++;
    while (isspace((unsigned char)*text))
        text++;
    return *text ? 0 : (uint64_t)1 << (10 * (unit - units));
}

static bool parse_whole(const char *str, int64_t *value_p)
{
    const char *digits = str + strspn(str, " \t+-");
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    char *end;
    errno = 0;
    long long value = strtoll(str, &end, hex ? 16 : 10);
    if (errno || end == str || *end)
        return false;
    *value_p = value;
    return true;
}

static bool parse_size(const char *str, uint64_t without, int64_t *value_p)
{
    char *end;
    errno = 0;
    locale_t programs = gast_decimal_point();
    long double value = strtold(str, &end);
    uselocale(programs);
    uint64_t factor = end == str ? 0 : unit_factor(end, without);
    if (errno || factor == 0 || !isfinite(value) || fabsl(value * (long double)factor) >= 0x1p63L)
        return false;
    *value_p = (int64_t)(value * (long double)factor);
    return true;
}

/** Of a number, with or without a unit. False if it is none. */
static bool parse_number(const char *str, uint64_t mem_size_multiplier, int64_t *value_p)
{
    if (mem_size_multiplier == 0 || parse_whole(str, value_p)) {
        if (mem_size_multiplier == 0)
            return parse_whole(str, value_p);
        return !__builtin_mul_overflow(*value_p, (int64_t)mem_size_multiplier, value_p);
    }
    return parse_size(str, mem_size_multiplier, value_p);
}

static const char *expected_number(uint64_t mem_size_multiplier)
{
    return mem_size_multiplier ? "a size of memory, such as 4096, 64KB or 1.5 GB"
                               : "a whole number, such as 12, -3 or 0x1F";
}

int64_t gasnett_parse_int(const char *str, uint64_t mem_size_multiplier)
{
    int64_t value;
    if (!parse_number(str, mem_size_multiplier, &value))
        gasnett_fatalerror_nopos("\"%s\" is not a number here: give %s", str,
                                 expected_number(mem_size_multiplier));
    return value;
}

int gast_parse_yesno(const char *text)
{
    static const char *const yes[] = {"1", "y", "yes", "true", "on"}, *const no[] = {"0", "n", "no",
                                                                                     "false",
                                                                                     "off"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcasecmp(text, yes[i]) == 0)
            return 1;
        if (strcasecmp(text, no[i]) == 0)
            return 0;
    }
    return -1;
}

// ---------------------------------------------------------------- set and get
void gasnett_setenv(const char *key, const char *value)
{
    if (setenv(key, value, 1))
        gasnett_fatalerror_nopos("gasnett_setenv(\"%s\"): %s", key, strerror(errno));
}

void gasnett_unsetenv(const char *key)
{
    if (unsetenv(key))
        gasnett_fatalerror_nopos("gasnett_unsetenv(\"%s\"): %s", key, strerror(errno));
}

char *gasnett_getenv(const char *keyname)
{
    return keyname ? getenv(keyname) : NULL;
}

char *gasnett_getenv_withdefault(const char *keyname, const char *defaultval)
{
    char *value = gasnett_getenv(keyname);
    gasnett_envstr_display(keyname, value ? value : defaultval, !value);
    return value ? value : (char *)(uintptr_t)defaultval;
}

int gasnett_getenv_yesno_withdefault(const char *keyname, int defaultval)
{
    const char *text = gasnett_getenv(keyname);
    int value = text && *text ? gast_parse_yesno(text) : !!defaultval;
    if (value < 0)
        gasnett_fatalerror_nopos("%s=\"%s\" is neither yes nor no: give 1 or 0", keyname, text);
    gasnett_envstr_display(keyname, value ? "YES" : "NO", !text || !*text);
    return value;
}

int64_t gasnett_getenv_int_withdefault(const char *keyname, int64_t defaultval,
                                       uint64_t mem_size_multiplier)
{
    const char *text = gasnett_getenv(keyname);
    int64_t value = defaultval;
    if (text && *text && !parse_number(text, mem_size_multiplier, &value))
        gasnett_fatalerror_nopos("%s=\"%s\": give %s", keyname, text,
                                 expected_number(mem_size_multiplier));
    gasnett_envint_display(keyname, value, !text || !*text, mem_size_multiplier != 0);
    return value;
}

/** False: it begins with none. */
static bool take_double(const char *text, char **end_p, double *value_p)
{
    locale_t programs = gast_decimal_point();
    *value_p = strtod(text, end_p);
    uselocale(programs);
    return *end_p != text;
}

/** "1.5", "-1e4", "3/8". */
static bool parse_double(const char *text, double *value_p)
{
    char *end;
    double above, below = 1;
    if (!take_double(text, &end, &above))
        return false;
    if (*end == '/' && (!take_double(end + 1, &end, &below) || below == 0))
        return false;
    *value_p = above / below;
    return !*end;
}

double gasnett_getenv_dbl_withdefault(const char *keyname, double defaultval)
{
    const char *text = gasnett_getenv(keyname);
    double value = defaultval;
    if (text && *text && !parse_double(text, &value))
        gasnett_fatalerror_nopos("%s=\"%s\": give a number or a fraction, such as 1.5, -1e4 or 3/8",
                                 keyname, text);
    gasnett_envdbl_display(keyname, value, !text || !*text);
    return value;
}

// ---------------------------------------------------------------- report
// Of the library, where the client has it.
extern uint32_t gasnet_mynode(void) __attribute__((__weak__));
extern uint32_t gex_System_QueryJobRank(void) __attribute__((__weak__));

/** Of a job the first process, as for the library's own variables; all before they are numbered. */
static bool is_reporter(void)
{
    return gasnet_mynode             ? gasnet_mynode() == 0
           : gex_System_QueryJobRank ? gex_System_QueryJobRank() == 0
                                     : true;
}

int gasnett_verboseenv(void)
{
    const char *text = gasnett_getenv("GASNET_VERBOSEENV");
    return text && *text && gast_parse_yesno(text) != 0 && is_reporter();
}

typedef struct reported {
    struct reported *next;
    char key[];
} reported_t;

static pthread_mutex_t reported_lock = PTHREAD_MUTEX_INITIALIZER;
static reported_t *reported;  // names that were reported already; under reported_lock

static bool is_news(const char *key)
{
    pthread_mutex_lock(&reported_lock);
    reported_t *r = reported;
    while (r && strcmp(r->key, key) != 0)
        r = r->next;
    bool news = !r;
    if (news && (r = malloc(sizeof *r + strlen(key) + 1))) {
        strcpy(r->key, key);
        r->next = reported;
        reported = r;
    }
    pthread_mutex_unlock(&reported_lock);
    return news;
}

void gasnett_envstr_display(const char *key, const char *val, int is_dflt)
{
    if (gasnett_verboseenv() && is_news(key))
        fprintf(stderr, "ENV parameter: %s = %s%s\n", key, val ? val : "*not set*",
                is_dflt ? " (default)" : "");
}

void gasnett_envint_display(const char *key, int64_t val, int is_dflt, int is_mem_size)
{
    char text[40];
    gasnett_envstr_display(key, gasnett_format_number(val, text, sizeof text, is_mem_size),
                           is_dflt);
}

void gasnett_envdbl_display(const char *key, double val, int is_dflt)
{
    char text[40];
    locale_t programs = gast_decimal_point();
    snprintf(text, sizeof text, "%g", val);
    uselocale(programs);
    gasnett_envstr_display(key, text, is_dflt);
}
