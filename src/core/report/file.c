// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are compressed when their name ends with ".gz", by zlib, which is loaded for them.
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "core/report/record.h"

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
