// SPDX-License-Identifier: BSD-3-Clause
//
// Tools that look at programs: PEs under valgrind, and the files that tell such tools what is no
// fault of the program. The files are installed in share/causeway, found from the place of oshrun.
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
    enum { OWN = 5 };
    size_t n = 0, count = 0, nmore = more ? strlen(more) / 2 + 1 : 0;
    while (argv[count])
        count++;
    char **words = calloc(count + nmore + OWN, sizeof *words), *copy = more ? strdup(more) : NULL;
    if (!words || (more && !copy))
        die(1, "out of memory");
    words[n++] = "valgrind";
    words[n++] = "--quiet";
    words[n++] = "--error-exitcode=9";
    words[n] = with_shared_file("--suppressions=", "valgrind.supp");
    n += words[n] != NULL;
    for (char *save, *word = copy ? strtok_r(copy, " ", &save) : NULL; word;
         word = strtok_r(NULL, " ", &save))
        words[n++] = word;
    memcpy(words + n, argv, count * sizeof *argv);
    return words;
}

char *debug_sanitizer_entry(const char *name, const char *file, const char *before)
{
    char *entry, *suppressions = NULL;
    if (before && strstr(before, "suppressions="))
        return NULL;
    suppressions = with_shared_file("suppressions=", file);
    if (!suppressions)
        return NULL;
    if (asprintf(&entry, "%s=%s%s%s:print_suppressions=0", name, before ? before : "",
                 before && *before ? ":" : "", suppressions) < 0)
        die(1, "out of memory");
    free(suppressions);
    return entry;
}
