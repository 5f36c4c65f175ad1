// SPDX-License-Identifier: BSD-3-Clause
//
// Limits of control groups on memory: of both versions, of a group and of those above it, in
// containers that show the group's files at the root of the mount. The size of the largest cache.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"
#include "frame/check.h"

static char root[] = "/tmp/causeway-groups-XXXXXX";
static char made[16][PATH_MAX];  // files and folders, in order
static int nmade;

/** A file of that path below root, with its folders. */
static void put(const char *path, const char *text)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s/%s", root, path);
    for (char *slash = file + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(file, 0700) == 0)
            strcpy(made[nmade++], file);
        *slash = '/';
    }
    FILE *f = fopen(file, "w");
    REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
    strcpy(made[nmade++], file);
}

static uint64_t without_files(uint64_t found)
{
    while (nmade)
        remove(made[--nmade]);
    return found;
}

static uint64_t limit(void)
{
    char groups[PATH_MAX];
    snprintf(groups, sizeof groups, "%s/cgroup", root);
    return without_files(cwu_group_memory(groups, root));
}

static uint64_t cache(void)
{
    return without_files(cwu_machine_cache(root));
}

int main(void)
{
    REQUIRE(mkdtemp(root));
    CHECK(limit() == UINT64_MAX);  // no file

    put("cgroup", "0::/job/step/task\n");
    put("job/step/task/memory.max", "max\n");
    CHECK(limit() == UINT64_MAX);

    put("cgroup", "0::/job/step/task\n");
    put("job/memory.max", "4096000\n");
    put("job/step/memory.max", "1024000\n");  // the least, neither first nor last
    put("job/step/task/memory.max", "2048000\n");
    CHECK(limit() == 1024000);

    put("cgroup", "0::/of/the/host\n");  // a container: its own group is the root
    put("memory.max", "512000\n");
    CHECK(limit() == 512000);

    put("cgroup", "9:cpuset:/\n4:cpu,memory:/job/step\n0::/\n");
    put("memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("memory/job/memory.limit_in_bytes", "300000\n");
    put("memory/job/step/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(limit() == 300000);

    put("cgroup", "3:memoryless:/job\n");
    put("memory/job/memory.limit_in_bytes", "300000\n");
    CHECK(limit() == UINT64_MAX);

    CHECK(cache() == 0);
    put("index0/size", "32K\n");
    put("index1/size", "32768K\n");
    put("index2/size", "1024K\n");
    CHECK(cache() == 32u << 20);

    CHECK(cwu_machine_memory() > 0);
    CHECK(rmdir(root) == 0);
    return check_result();
}
