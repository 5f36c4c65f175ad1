// SPDX-License-Identifier: BSD-3-Clause
//
// Joining and leaving hundreds of times in a process: nothing grows; each time has its memory, of
// which the unit before cannot be seen missing. Numbers of units; calls before, between and after.
#include <dash/dart/if/dart.h>
#include <dirent.h>
#include <unistd.h>

#include "frame/check.h"
#include "frame/usage.h"
#include "refusals.h"

static int entries(const char *path)
{
    int n = 0;
    DIR *dir = opendir(path);
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static int mappings(void)
{
    char line[512];
    int n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        n += strchr(line, '\n') != NULL;
    if (maps)
        fclose(maps);
    return n;
}

static void outside(void)
{
    dart_global_unit_t me = {7};
    size_t size = 7;
    dart_gptr_t gptr;
    CHECK(!dart_initialized());
    CHECK(dart_exit() == DART_ERR_NOTINIT);
    CHECK(dart_myid(&me) == DART_ERR_NOTINIT && me.id == -1);
    CHECK(dart_size(&size) == DART_ERR_NOTINIT && size == 0);
    CHECK(dart_barrier(DART_TEAM_ALL) == DART_ERR_NOTINIT);
    CHECK(dart_memalloc(1, DART_TYPE_INT, &gptr) == DART_ERR_NOTINIT && DART_GPTR_ISNULL(gptr));
}

static void inside(void)
{
    dart_global_unit_t me, found;
    dart_team_unit_t mine;
    size_t size, members;
    CHECK(dart_initialized() && dart_init(NULL, NULL) == DART_ERR_OTHER);
    CHECK(dart_myid(&me) == DART_OK && dart_size(&size) == DART_OK);
    CHECK(dart_team_myid(DART_TEAM_ALL, &mine) == DART_OK && mine.id == me.id);
    CHECK(dart_team_size(DART_TEAM_ALL, &members) == DART_OK && members == size);
    for (int unit = 0; unit < (int)size; unit++) {
        CHECK(dart_team_unit_l2g(DART_TEAM_ALL, DART_TEAM_UNIT_ID(unit), &found) == DART_OK &&
              found.id == unit);
        CHECK(dart_team_unit_g2l(DART_TEAM_ALL, DART_GLOBAL_UNIT_ID(unit), &mine) == DART_OK &&
              mine.id == unit);
    }
    CHECK(dart_team_unit_l2g(DART_TEAM_ALL, DART_TEAM_UNIT_ID((int)size), &found) ==
              DART_ERR_INVAL &&
          found.id == -1);
    CHECK(dart_team_unit_g2l(DART_TEAM_ALL, DART_GLOBAL_UNIT_ID(-1), &mine) == DART_ERR_INVAL);
    CHECK(dart_team_size(DART_TEAM_NULL, &members) == DART_ERR_INVAL);
    CHECK(dart_team_myid(77, &mine) == DART_ERR_INVAL && mine.id == -1);
    CHECK(dart_team_myid(DART_TEAM_ALL, NULL) == DART_ERR_INVAL);
}

/** Memory of each time, freed or not. */
static void use_memory(int time)
{
    dart_gptr_t gptr;
    int *own;
    CHECK(dart_team_memalloc_aligned(DART_TEAM_ALL, 100000, DART_TYPE_INT, &gptr) == DART_OK);
    dart_global_unit_t me;
    dart_myid(&me);
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
    CHECK(dart_gptr_getaddr(gptr, (void **)&own) == DART_OK);
    memset(own, time, 400000);
    CHECK(dart_barrier(DART_TEAM_ALL) == DART_OK);
    if (time % 2)
        CHECK(dart_team_memfree(gptr) == DART_OK);
}

int main(int argc, char **argv)
{
    refuse_without_lines();
    int times = argc > 1 ? atoi(argv[1]) : 100, files = 0, maps = 0;
    outside();
    for (int time = 0; time < times; time++) {
        dart_thread_support_level_t level = DART_THREAD_SINGLE;
        if (time % 3)
            REQUIRE(dart_init(&argc, &argv) == DART_OK);
        else
            REQUIRE(dart_init_thread(&argc, &argv, &level) == DART_OK &&
                    level == DART_THREAD_MULTIPLE);
        if (time == 0)
            inside();
        use_memory(time);
        CHECK(dart_exit() == DART_OK);
        if (time == 9) {
            files = entries("/proc/self/fd");
            maps = mappings();
        }
    }
    outside();
    CHECK(entries("/proc/self/fd") <= files, "%d files, %d after 10", entries("/proc/self/fd"),
          files);
    CHECK(KEEPS_FREED || mappings() <= maps + 3, "%d mappings, %d after 10", mappings(), maps);
    return check_result();
}
