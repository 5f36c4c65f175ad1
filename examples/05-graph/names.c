// SPDX-License-Identifier: BSD-3-Clause
//
// Names of vertices (names.h).
#define _GNU_SOURCE  // getline
#include "names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int names_read(struct names *names, const char *path, int64_t n)
{
    FILE *file = fopen(path, "r");
    names->n = 0;
    names->name = calloc((size_t)n + 1, sizeof *names->name);
    if (!file || !names->name) {
        fprintf(stderr, "graph: cannot read %s: %s\n", path, strerror(errno));
        if (file)
            fclose(file);
        return -1;
    }
    size_t room = 0;
    while (names->n < n && getline(&names->name[names->n], &room, file) > 0) {
        names->name[names->n][strcspn(names->name[names->n], "\n")] = 0;
        names->n++;
        room = 0;  // getline allocates each line anew
    }
    fclose(file);
    if (names->n == n)
        return 0;
    fprintf(stderr, "graph: %s has %" PRId64 " names, the graph has %" PRId64 " vertices\n", path,
            names->n, n);
    return -1;
}

void names_destroy(struct names *names)
{
    for (int64_t v = 0; names->name && v <= names->n; v++)
        free(names->name[v]);
    free(names->name);
    names->name = NULL;
    names->n = 0;
}

int64_t names_find(const struct names *names, const char *name)
{
    for (int64_t v = 0; v < names->n; v++)
        if (strcmp(names->name[v], name) == 0)
            return v;
    return -1;
}

void names_print(const struct names *names, int64_t v, int base)
{
    if (v >= 0 && v < names->n)
        printf("%s", names->name[v]);
    else
        printf("%" PRId64, v + base);
}
