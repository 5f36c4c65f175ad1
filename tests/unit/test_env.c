// SPDX-License-Identifier: BSD-3-Clause
//
// The environment table: sizes in the words of the OpenSHMEM specification, refused values,
// misspelt names.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/env.h"
#include "base/env/names.h"
#include "base/error.h"
#include "frame/check.h"
#include "frame/child.h"

static void test_sizes(void)
{
    static const struct {
        const char *text;
        size_t nbytes;
    } good[] = {
        {"0", 0},
        {"4096", 4096},
        {"20m", 20971520},
        {"3.1M", 3250586},  // a part of a byte needs a byte
        {"1.5G", 1610612736},
        {"1e6", 1000000},
        {"2.5e-1k", 256},
        {".5k", 512},
        {"7.", 7},
        {"1T", (size_t)1 << 40},
        {"16gb", (size_t)16 << 30},
        {"20kk", 20480},  // the specification: what follows the multiplier is ignored
        {"1MM", 1048576},
        {" 8K ", 8192},
        {"9007199254740993", 9007199254740993u},  // more than a double holds
        {"4611686018427387905", 4611686018427387905u},
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        size_t nbytes = 99;
        CHECK(cwu_parse_size(good[i].text, &nbytes) == CW_OK);
        if (nbytes != good[i].nbytes)
            fprintf(stderr, "  \"%s\" gave %zu\n", good[i].text, nbytes);
        CHECK(nbytes == good[i].nbytes);
    }
    static const char *const bad[] = {
        "",   "-1", "-1M",   "nan",   "inf",  "0x10",  "1Q",          "1 2", "1,5",  "M",  ".",
        "e3", "1e", "1.2.3", "12,5M", "1e30", "9e18T", "9e999999999", "16E", "lots", "++1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        size_t nbytes = 99;
        if (cwu_parse_size(bad[i], &nbytes) != CW_EINVAL)
            fprintf(stderr, "  \"%s\" was taken as %zu\n", bad[i], nbytes);
        CHECK(cwu_parse_size(bad[i], &nbytes) == CW_EINVAL);
        CHECK(nbytes == 99);  // outputs are set on success only
    }
}

static void test_defaults_and_values(void)
{
    cwu_env_load();
    CHECK(cwu_env.symmetric_size == (size_t)256 << 20 && !cwu_env.symmetric_size_set);
    CHECK_STR(cwu_env.endpoint, "auto");
    CHECK(cwu_env.provider == NULL);
    CHECK(cwu_env.spin == -1);
    CHECK(!cwu_env.check && !cwu_env.shmem_debug && !cwu_env.debug);
    CHECK_STR(CWU_ENV_NAME(symmetric_size), "SHMEM_SYMMETRIC_SIZE");

    setenv("SMA_SYMMETRIC_SIZE", "1k", 1);
    cwu_env_load();
    CHECK(cwu_env.symmetric_size == 1024 && cwu_env.symmetric_size_set);
    setenv("SHMEM_SYMMETRIC_SIZE", "2k", 1);  // the new name wins
    setenv("CAUSEWAY_ENDPOINT", "msg", 1);
    setenv("CAUSEWAY_PROVIDER", "tcp;ofi_rxm", 1);
    setenv("CAUSEWAY_SPIN", "17", 1);
    setenv("CAUSEWAY_CHECK", "Yes", 1);
    setenv("SHMEM_DEBUG", "please", 1);  // the specification: any value
    setenv("SHMEM_INFO", "", 1);         // empty counts as unset
    cwu_env_load();
    CHECK(cwu_env.symmetric_size == 2048);
    CHECK_STR(cwu_env.endpoint, "msg");
    CHECK_STR(cwu_env.provider, "tcp;ofi_rxm");
    CHECK(cwu_env.spin == 17 && cwu_env.check && cwu_env.shmem_debug && !cwu_env.shmem_info);
    CHECK(cwu_env.debug && !cwu_env.debug_set);  // SHMEM_DEBUG turns the same messages on
    clearenv();
}

/** Defaults are not checked when they are read. */
static void test_defaults_are_allowed(void)
{
    cwu_env_row_t row;
    size_t n = 0;
    for (size_t i = 0; cwu_env_table(i, &row); i++)
        if (*row.def) {
            setenv(row.name, row.def, 1);
            cwu_env_load();  // ends the process if it is not
            unsetenv(row.name);
            n++;
        }
    CHECK(n > 20);
    clearenv();
    cwu_env_load();
}

/** A search through many names of ours is another one than through few. */
static void test_many_of_ours(void)
{
    for (int n = 0; n < 70; n++) {
        char name[40];
        snprintf(name, sizeof name, "CAUSEWAY_SPINS_%d", n);
        setenv(name, "9", 1);
        if (n % 7)
            continue;
        setenv("CAUSEWAY_SPIN", "31", 1);
        cwu_env_load();
        CHECK(cwu_env.spin == 31 && cwu_env.spin_set, "among %d names", n);
        unsetenv("CAUSEWAY_SPIN");
        cwu_env_load();
        CHECK(cwu_env.spin == -1 && !cwu_env.spin_set, "among %d names", n);
    }
    clearenv();
    cwu_env_load();
}

static void test_numbers(void)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"2", 2}, {"0.5", .5}, {" 3/8 ", .375}, {"1e-1/.5", .2}, {"+7.", 7}, {"0", 0}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        setenv("GASNET_EXITTIMEOUT", good[i].text, 1);
        cwu_env_load();
        double off = cwu_env.exit_timeout - good[i].value;
        CHECK(cwu_env.exit_timeout_set && off < 1e-12 && off > -1e-12);
    }
    unsetenv("GASNET_EXITTIMEOUT");
    cwu_env_load();
    CHECK(!cwu_env.exit_timeout_set && !(cwu_env.exit_timeout_factor > .25));
}

static void test_whole_numbers(void)
{
    static const char *const seven[] = {"7", "007", "+7", " 7", "7 ", " 7\t"};
    for (size_t i = 0; i < sizeof seven / sizeof seven[0]; i++) {
        setenv("CAUSEWAY_SPIN", seven[i], 1);
        cwu_env_load();
        CHECK(cwu_env.spin == 7, "\"%s\" is %ld", seven[i], cwu_env.spin);
    }
    unsetenv("CAUSEWAY_SPIN");
}

static void expect_refused(const char *name, const char *value, const char *accepted)
{
    setenv(name, value, 1);
    child_t child = child_run(cwu_env_load);
    unsetenv(name);
    CHECK(child.status == 1);
    CHECK(strstr(child.err, name) != NULL);
    CHECK(strstr(child.err, value) != NULL);
    CHECK(strstr(child.err, accepted) != NULL);
    CHECK(strchr(child.err, '\n') == child.err + strlen(child.err) - 1);  // one line
}

static void test_refused_values(void)
{
    expect_refused("SHMEM_SYMMETRIC_SIZE", "a lot", "1.5G");
    expect_refused("SHMEM_SYMMETRIC_SIZE", "-5M", "from 0 to 8388607T");
    expect_refused("SHMEM_SYMMETRIC_SIZE", "8388608T", "from 0 to 8388607T");
    expect_refused("SMA_SYMMETRIC_SIZE", "1x", "1.5G");
    expect_refused("CAUSEWAY_ENDPOINT", "rd", "rdm|msg|auto");
    expect_refused("CAUSEWAY_ENDPOINT", "rdm|msg", "rdm|msg|auto");
    expect_refused("CAUSEWAY_CONNECT", "never", "ondemand|static");
    expect_refused("CAUSEWAY_SPIN", "12x", "not a whole number: give one from -1 to 1000000000");
    expect_refused("CAUSEWAY_SPIN", "1 2", "not a whole number: give one from -1 to 1000000000");
    expect_refused("CAUSEWAY_SPIN", " ", "not a whole number: give one from -1 to 1000000000");
    expect_refused("CAUSEWAY_SPIN", "1e3", "not a whole number: give one from -1 to 1000000000");
    expect_refused("CAUSEWAY_SPIN", "99999999999999999999", "out of range: give a number from -1");
    expect_refused("CAUSEWAY_SPIN", "-99999999999999999999", "out of range: give a number from");
    expect_refused("CAUSEWAY_TIMEOUT", "0", "from 1 to");
    expect_refused("GASNET_EXITTIMEOUT", "-1", "give one from 0 to 86400");
    expect_refused("GASNET_EXITTIMEOUT", "1/0", "3/8");
    expect_refused("GASNET_EXITTIMEOUT", "10s", "3/8");
    expect_refused("GASNET_EXITTIMEOUT", "1e300", "out of range: give a number from 0 to");
    expect_refused("GASNET_EXITTIMEOUT", "1e9999", "out of range: give a number from 0 to");
    expect_refused("GASNET_EXITTIMEOUT", "86400.5", "from 0 to");
    expect_refused("CAUSEWAY_CHECK", "maybe", "0 or 1");
}

static void load_and_warn(void)
{
    cwu_env_load();
    cwu_env_warn_unknown();
}

static void test_unknown_names(void)
{
    CHECK_STR(cwu_env_nearest("CAUSEWAY_ENDPOIT"), "CAUSEWAY_ENDPOINT");
    CHECK_STR(cwu_env_nearest("CAUSEWAY_TIMOUT"), "CAUSEWAY_TIMEOUT");
    CHECK_STR(cwu_env_nearest("CAUSEWAY_SERVERSPIN"), "CAUSEWAY_SERVER_SPIN");

    setenv("CAUSEWAY_PROVDER", "tcp", 1);
    child_t child = child_run(load_and_warn);
    CHECK(child.status == 0);
    CHECK(strstr(child.err, "warning") != NULL);
    CHECK(strstr(child.err, "CAUSEWAY_PROVDER is not known; did you mean CAUSEWAY_PROVIDER?") !=
          NULL);
    setenv("CAUSEWAY_QUIET", "1", 1);
    CHECK_STR(child_run(load_and_warn).err, "");
    clearenv();

    setenv("CAUSEWAY_LAUNCH_PE", "3", 1);  // a variable of oshrun's own
    setenv("OTHER_VARIABLE", "3", 1);
    CHECK_STR(child_run(load_and_warn).err, "");
    clearenv();
}

static void test_table(void)
{
    cwu_env_row_t row;
    size_t n = 0;
    while (cwu_env_table(n, &row)) {
        CHECK(strlen(row.name) > 0 && strlen(row.meaning) > 0);
        CHECK(strncmp(row.name, "CAUSEWAY_", 9) == 0 || strncmp(row.name, "SHMEM_", 6) == 0 ||
              strncmp(row.name, "GASNET_", 7) == 0);
        n++;
    }
    CHECK(n > 10);
}

int main(void)
{
    clearenv();
    test_sizes();
    test_defaults_and_values();
    test_defaults_are_allowed();
    test_many_of_ours();
    test_numbers();
    test_whole_numbers();
    test_refused_values();
    test_unknown_names();
    test_table();
    return check_result();
}
