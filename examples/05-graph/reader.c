// SPDX-License-Identifier: BSD-3-Clause
//
// Reads graphs from files (reader.h).
#define _GNU_SOURCE  // strcasecmp
#include "reader.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_BYTES = 1024 };

static int complain(const struct reader *r, const char *what)
{
    fprintf(stderr, "graph: %s:%" PRId64 ": %s\n", r->path, r->line, what);
    return -1;
}

// The next line that is not empty and not a comment. Returns 1, 0 at the end, or -1.
static int next_line(struct reader *r, char *line)
{
    while (fgets(line, LINE_BYTES, r->file)) {
        r->line++;
        if (!strchr(line, '\n') && !feof(r->file))
            return complain(r, "line too long");
        char *p = line;
        while (isspace((unsigned char)*p))
            p++;
        if (*p && *p != '%' && *p != '#')
            return 1;
    }
    return ferror(r->file) ? complain(r, strerror(errno)) : 0;
}

// Reads `n` whole numbers, not negative, from the start of a line.
static bool numbers(const char *line, int n, int64_t *value)
{
    for (int i = 0; i < n; i++) {
        char *end;
        errno = 0;
        value[i] = strtoll(line, &end, 10);
        if (errno || end == line || value[i] < 0 || (*end && !isspace((unsigned char)*end)))
            return false;
        line = end;
    }
    return true;
}

static int read_banner(struct reader *r, const char *banner)
{
    char object[64], format[64], field[64], symmetry[64];
    if (sscanf(banner, "%%%%MatrixMarket %63s %63s %63s %63s", object, format, field, symmetry) !=
        4)
        return complain(r, "incomplete Matrix Market banner");
    if (strcasecmp(object, "matrix") || strcasecmp(format, "coordinate"))
        return complain(r, "only a Matrix Market 'matrix coordinate' file is a graph");
    r->is_market = true;
    r->symmetric = strcasecmp(symmetry, "general") != 0;

    char line[LINE_BYTES];
    int64_t size[3];
    int got = next_line(r, line);
    if (got < 0)
        return -1;
    if (got == 0 || !numbers(line, 3, size))
        return complain(r, "expected the numbers of rows, columns and entries");
    if (size[0] != size[1])
        return complain(r, "the matrix is not square: rows and columns must be the same vertices");
    r->nverts = size[0];
    r->nentries = size[2];
    return 0;
}

int reader_open(struct reader *r, const char *path)
{
    memset(r, 0, sizeof *r);
    r->path = path;
    r->file = fopen(path, "r");
    if (!r->file) {
        fprintf(stderr, "graph: cannot read %s: %s\n", path, strerror(errno));
        return -1;
    }
    char first[LINE_BYTES];
    if (!fgets(first, sizeof first, r->file))
        first[0] = 0;
    if (strncmp(first, "%%MatrixMarket", 14) == 0) {
        r->line = 1;
        if (read_banner(r, first) == 0)
            return 0;
        reader_close(r);
        return -1;
    }
    rewind(r->file);
    return 0;
}

// One line into an arc counted from 0.
static int parse_arc(struct reader *r, const char *line, struct arc *arc)
{
    int64_t v[2];
    if (!numbers(line, 2, v))
        return complain(r, "expected two vertex numbers");
    if (r->is_market) {
        v[0]--;
        v[1]--;
        if (v[0] < 0 || v[1] < 0 || v[0] >= r->nverts || v[1] >= r->nverts)
            return complain(r, "vertex number out of range");
        if (r->nread == r->nentries)
            return complain(r, "more entries than announced");
    } else {
        int64_t top = v[0] > v[1] ? v[0] : v[1];
        if (top >= INT64_C(1) << 48)
            return complain(r, "vertex number too large");
        r->nverts = top >= r->nverts ? top + 1 : r->nverts;
    }
    r->nread++;
    *arc = (struct arc){v[0], v[1]};
    return 0;
}

int64_t reader_next(struct reader *r, struct arc *arcs, int64_t most)
{
    char line[LINE_BYTES];
    int64_t n = 0;
    int got = 1;
    while (n + 2 <= most && (got = next_line(r, line)) > 0) {
        struct arc arc;
        if (parse_arc(r, line, &arc) != 0)
            return -1;
        if (arc.from == arc.to)  // adds nothing to what a search can reach
            continue;
        arcs[n++] = arc;
        if (r->symmetric)
            arcs[n++] = (struct arc){arc.to, arc.from};
    }
    if (got < 0)
        return -1;
    if (n == 0 && r->is_market && r->nread != r->nentries)
        return complain(r, "fewer entries than announced: the file is cut off");
    return n;
}

void reader_close(struct reader *r)
{
    if (r->file)
        fclose(r->file);
    r->file = NULL;
}
