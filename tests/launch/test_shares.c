// SPDX-License-Identifier: BSD-3-Clause
//
// Which processors the PEs get, on machines that are files: two sockets, each a node of memory, of
// two cores with two threads; the processors of a core are 4 apart.
#include <sys/stat.h>

#include "frame/check.h"

#define SYSTEM "machine"
#define LOAD "machine/loadavg"
#include "../../tools/oshrun/bind.c"

static const char *allowed;  // digits: processors that oshrun may use; NULL: not to be asked
static char said[256];
static bool wished;

int sched_getaffinity(pid_t pid, size_t nbytes, cpu_set_t *set)
{
    CHECK(pid == 0 && nbytes == sizeof *set);
    if (!allowed)
        return -1;
    CPU_ZERO(set);
    for (const char *digit = allowed; *digit; digit++)
        CPU_SET((size_t)(*digit - '0'), set);
    return 0;
}

void say(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(said, sizeof said, fmt, args);
    va_end(args);
}

void die(int status, const char *fmt, ...)
{
    printf("FAIL: died with %d: %s\n", status, fmt);
    exit(1);
}

const char *options_unit_name(unit_t unit)
{
    static const char *const names[] = {"none", "hwthread", "core", "socket", "numa", "share"};
    return names[unit];
}

static void write_file(const char *text, const char *format, int cpu)
{
    char path[128];
    snprintf(path, sizeof path, format, cpu);
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL, "%s", path);
    fputs(text, file);
    fclose(file);
}

static void make_folder(const char *format, int number)
{
    char path[128];
    snprintf(path, sizeof path, format, number);
    REQUIRE(mkdir(path, 0777) == 0, "%s", path);
}

static void make_machine(void)
{
    make_folder("machine", 0);
    make_folder("machine/cpu", 0);
    make_folder("machine/node", 0);
    write_file("0-1\n", "machine/node/online", 0);
    for (int cpu = 0; cpu < 8; cpu++) {
        char core[16];
        snprintf(core, sizeof core, "%d,%d\n", cpu % 4, cpu % 4 + 4);
        make_folder("machine/cpu/cpu%d", cpu);
        make_folder("machine/cpu/cpu%d/topology", cpu);
        write_file(core, "machine/cpu/cpu%d/topology/thread_siblings_list", cpu);
        write_file(cpu % 2 ? "1,3,5,7\n" : "0,2,4,6\n",
                   "machine/cpu/cpu%d/topology/package_cpus_list", cpu);
    }
    for (int node = 0; node < 2; node++) {
        make_folder("machine/node/node%d", node);
        write_file(node ? "1,3,5,7\n" : "0,2,4,6\n", "machine/node/node%d/cpulist", node);
    }
}

/** want: the processors of each PE, with blanks between; "" where none is bound. */
static void expect(const char *may, int npes, unit_t bind_to, unit_t map_by, const char *want)
{
    char got[256] = "";
    allowed = may;
    free(bind.of_pe);
    memset(&bind, 0, sizeof bind);
    bind_prepare(&(options_t){
        .npes = npes, .nnodes = 1, .bind_to = bind_to, .map_by = map_by, .bind_to_given = wished});
    for (int pe = 0; pe < npes && bind_of(pe); pe++) {
        char *end = got + strlen(got);
        *end = ' ';
        end += pe > 0;
        for (int cpu = 0; cpu < 8; cpu++)
            if (CPU_ISSET((size_t)cpu, bind_of(pe)))
                *end++ = (char)('0' + cpu);
        *end = '\0';
    }
    CHECK(!strcmp(got, want), "%d PEs of %s: \"%s\", expected \"%s\"", npes, may ? may : "?", got,
          want);
}

int main(void)
{
    const char *all = "01234567";
    make_machine();
    expect(all, 2, UNIT_SHARE, UNIT_NONE, "");  // it is not known what runs
    write_file("0.10 0.20 0.30 1/200 999\n", LOAD, 0);
    // shares: in the order of sockets and cores, with both threads of each core
    expect(all, 1, UNIT_SHARE, UNIT_NONE, "");
    expect(all, 2, UNIT_SHARE, UNIT_NONE, "0246 1357");
    expect(all, 3, UNIT_SHARE, UNIT_NONE, "04 26 1357");
    expect(all, 4, UNIT_SHARE, UNIT_NONE, "04 26 15 37");
    expect(all, 5, UNIT_SHARE, UNIT_NONE, "");
    expect(all, 3, UNIT_CORE, UNIT_NONE, "04 26 15");
    // with a core for what runs already, oshrun apart
    write_file("9.10 8.20 7.30 3/200 999\n", LOAD, 0);
    expect(all, 2, UNIT_SHARE, UNIT_NONE, "0246 1357");
    expect(all, 3, UNIT_SHARE, UNIT_NONE, "");
    // a wish needs cores for the PEs only
    wished = true;
    expect(all, 4, UNIT_SHARE, UNIT_NONE, "04 26 15 37");
    expect(all, 5, UNIT_SHARE, UNIT_NONE, "");
    wished = false;
    write_file("0.10 0.20 0.30 1/200 999\n", LOAD, 0);
    // of what oshrun itself may use
    expect("0145", 2, UNIT_SHARE, UNIT_NONE, "04 15");
    expect("014", 2, UNIT_SHARE, UNIT_NONE, "04 1");
    expect("04", 2, UNIT_SHARE, UNIT_NONE, "");
    expect(NULL, 2, UNIT_SHARE, UNIT_NONE, "");
    CHECK(said[0] == '\0', "without a wish nothing is said: %s", said);
    // units, as asked for
    expect(all, 2, UNIT_NONE, UNIT_NONE, "");
    expect(all, 3, UNIT_CORE, UNIT_NONE, "04 26 15");
    expect(all, 3, UNIT_CORE, UNIT_SOCKET, "04 15 26");
    expect(all, 2, UNIT_THREAD, UNIT_NONE, "0 4");
    expect(all, 3, UNIT_SOCKET, UNIT_NONE, "0246 1357 0246");
    expect(all, 2, UNIT_NUMA, UNIT_NONE, "0246 1357");
    CHECK(said[0] == '\0', "%s", said);
    expect("04", 2, UNIT_CORE, UNIT_NONE, "04 04");
    CHECK(strstr(said, "2 PEs, and there are 1 cores") != NULL, "%s", said);
    return check_result();
}
