// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are compressed when their name ends with ".gz", by zlib, which is loaded for them; and
// statistics as a file: CAUSEWAY_STATS=json:PATH, or html:PATH, the same inside of a page that
// draws it.
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "core/report/record.h"

#define DEFAULT_PAGE "causeway-stats.html"

static struct {
    void *(*gzopen)(const char *path, const char *mode);
    int (*gzwrite)(void *file, const void *bytes, unsigned nbytes);
    int (*gzclose)(void *file);
} zlib;

static bool load_zlib(void)
{
    void *handle = zlib.gzclose ? NULL : dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle) {
        *(void **)&zlib.gzopen = dlsym(handle, "gzopen");
        *(void **)&zlib.gzwrite = dlsym(handle, "gzwrite");
        *(void **)&zlib.gzclose = dlsym(handle, "gzclose");
    }
    return zlib.gzopen && zlib.gzwrite && zlib.gzclose;
}

static ssize_t write_gz(void *file, const char *bytes, size_t nbytes)
{
    unsigned n = nbytes < 1 << 20 ? (unsigned)nbytes : 1 << 20;
    int written = zlib.gzwrite(file, bytes, n);
    return written > 0 ? written : 0;  // 0: an error, for stdio
}

static int close_gz(void *file)
{
    int rc = zlib.gzclose(file);
    if (rc && rc != -1)  // -1: errno says why
        errno = EIO;
    return rc ? -1 : 0;
}

FILE *cw_report_file(const char *path)
{
    size_t length = strlen(path);
    cookie_io_functions_t calls = {.write = write_gz, .close = close_gz};
    if (length < 3 || strcmp(path + length - 3, ".gz") != 0)
        return fopen(path, "we");
    if (!load_zlib()) {
        errno = ELIBACC;  // no zlib (Debian: zlib1g)
        return NULL;
    }
    errno = ENOMEM;
    void *file = zlib.gzopen(path, "wbe");
    return file ? fopencookie(file, "w", calls) : NULL;
}

// ---------------------------------------------------------------- statistics

static bool is_page(const char *setting)
{
    return strncmp(setting, "html", 4) == 0;
}

const char *cw_stats_path(const char *setting)
{
    if (strcmp(setting, "html") == 0)
        return DEFAULT_PAGE;
    bool has_path = strncmp(setting, "json:", 5) == 0 || strncmp(setting, "html:", 5) == 0;
    return has_path && setting[5] ? setting + 5 : NULL;
}

void cw_stats_file_begin(FILE *out, const char *setting, const cw_view_t *first, bool recovered)
{
    if (is_page(setting))
        fputs(cw_job_page[0], out);
    cw_stats_json_begin(out, first, recovered);
}

void cw_stats_file_end(FILE *out, const char *setting)
{
    cw_stats_json_end(out);
    if (is_page(setting))
        fputs(cw_job_page[1], out);
}
