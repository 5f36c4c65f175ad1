// SPDX-License-Identifier: BSD-3-Clause
//
// Tools that look at programs: PEs under valgrind or gdb, in windows of their own, and the files
// that tell such tools what is no fault of the program. These are installed in share/causeway,
// found from the place of oshrun.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oshrun.h"

/** "OPTION/PREFIX/share/causeway/NAME", never freed; NULL: there is no such file. */
static char *with_shared_file(const char *option, const char *name)
{
    char self[PATH_MAX], *text;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = n > 0 ? memrchr(self, '/', (size_t)n) : NULL;
    if (!slash)
        return NULL;
    *slash = '\0';
    if (asprintf(&text, "%s%s/" CAUSEWAY_SHARE_FROM_BIN "/causeway/%s", option, self, name) < 0)
        die(1, "out of memory");
    if (access(text + strlen(option), R_OK) == 0)
        return text;
    free(text);
    return NULL;
}

char **debug_valgrind(char **argv, const char *more)
{
    enum { OWN = 6 };
    size_t n = 0, count = 0, nmore = more ? strlen(more) / 2 + 1 : 0;
    while (argv[count])
        count++;
    char **words = calloc(count + nmore + OWN, sizeof *words), *copy = more ? strdup(more) : NULL;
    if (!words || (more && !copy))
        die(1, "out of memory");
    words[n++] = "valgrind";
    words[n++] = "--quiet";
    words[n++] = "--error-exitcode=9";
    // Quietly, only on request: the search of a PE that crashes reads the heaps of all PEs.
    words[n++] = "--leak-check=no";
    words[n] = with_shared_file("--suppressions=", "valgrind.supp");
    n += words[n] != NULL;
    for (char *save, *word = copy ? strtok_r(copy, " ", &save) : NULL; word;
         word = strtok_r(NULL, " ", &save))
        words[n++] = word;
    memcpy(words + n, argv, count * sizeof *argv);
    return words;
}

// ---------------------------------------------------------------- gdb, windows
/** Is this PE in a list like "0,4-7", or "all"? *bad_p: the list is none. */
static bool is_listed(const char *list, int pe, bool *bad_p)
{
    bool found = !strcmp(list, "all");
    for (const char *at = list; *at && !found && !*bad_p;) {
        char *end;
        long from = strtol(at, &end, 10), to = from;
        *bad_p = *at < '0' || *at > '9';
        if (*end == '-') {
            at = end + 1;
            *bad_p = *bad_p || *at < '0' || *at > '9';
            to = strtol(at, &end, 10);
        }
        *bad_p = *bad_p || (*end && *end != ',') || to < from;
        found = pe >= from && pe <= to;
        at = end + (*end == ',');
    }
    return found && !*bad_p;
}

/** True: the PE is chosen by this option. */
static bool is_chosen(const chosen_t *chosen, int pe)
{
    bool bad = false;
    return chosen->list && is_listed(chosen->list, pe, &bad);
}

static char *gdb_file, *xterm_file;

static char *find_tool(const options_t *opt, const chosen_t *chosen, const char *name)
{
    bool bad = false;
    if (!chosen->list)
        return NULL;
    is_listed(chosen->list, -1, &bad);
    if (bad)
        die(EXIT_USAGE, "--%s=%s: expected numbers of PEs, like 0,4-7, or all", name, chosen->list);
    int pe = 0;
    while (pe < opt->npes && !is_chosen(chosen, pe))
        pe++;
    if (pe == opt->npes)
        die(EXIT_USAGE, "--%s=%s: there is none of these PEs; this job has PEs 0 to %d", name,
            chosen->list, opt->npes - 1);
    char *file = spawn_search(opt->parts, name);
    if (!file)
        die(EXIT_NOT_FOUND, "--%s: %s is not in PATH (Debian: %s)", name, name, name);
    return file;
}

void debug_check(options_t *opt)
{
    // without a list: where there are windows, those in them, else one
    if (opt->gdb.list && !*opt->gdb.list)
        opt->gdb.list = opt->xterm.list ? opt->xterm.list : "0";
    gdb_file = find_tool(opt, &opt->gdb, "gdb");
    xterm_file = find_tool(opt, &opt->xterm, "xterm");
}

char **debug_argv(const options_t *opt, const part_t *part, int pe)
{
    enum { OWN = 10 };
    bool window = is_chosen(&opt->xterm, pe), gdb = is_chosen(&opt->gdb, pe);
    size_t n = 0, count = 0;
    if (!window && !gdb)
        return part->argv;
    while (part->argv[count])
        count++;
    char **words = calloc(count + OWN, sizeof *words);
    if (!words || (window && asprintf(&words[2], "PE %d of %d", pe, opt->npes) < 0))
        die(1, "out of memory");
    if (window) {
        words[0] = xterm_file;
        words[1] = "-T";
        words[3] = "-e";
        n = 4;
    }
    if (gdb) {
        words[n++] = gdb_file;
        words[n++] = "-q";
        words[n++] = "--args";
    }
    memcpy(words + n, part->argv, count * sizeof *words);
    words[n] = (char *)(uintptr_t)part->program;
    return words;
}

// ---------------------------------------------------------------- sanitizers
char *debug_sanitizer_entry(const char *name, const char *file, const char *before)
{
    char *entry, *suppressions = NULL;
    if (before && strstr(before, "suppressions="))
        return NULL;
    suppressions = with_shared_file("suppressions=\"", file);  // quoted: blanks and colons divide
    if (!suppressions)
        return NULL;
    if (asprintf(&entry, "%s=%s%s%s\":print_suppressions=0", name, before ? before : "",
                 before && *before ? ":" : "", suppressions) < 0)
        die(1, "out of memory");
    free(suppressions);
    return entry;
}
