// SPDX-License-Identifier: BSD-3-Clause
//
// One mistake, named by the argument; misuse.sh expects the message.
#define GASNETT_THREAD_SAFE 1
#define GASNET_DEBUG 1
#include <gasnet_tools.h>
#include <string.h>
#include <sys/resource.h>

static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
static gasnett_rwlock_t lock = GASNETT_RWLOCK_INITIALIZER;

static void lock_twice(void)
{
    gasnett_mutex_lock(&mutex);
    gasnett_mutex_lock(&mutex);
}
static void unlock_free(void)
{
    gasnett_mutex_unlock(&mutex);
}
static void assert_locked(void)
{
    gasnett_mutex_assertlocked(&mutex);
}
static void assert_unlocked(void)
{
    gasnett_mutex_lock(&mutex);
    gasnett_mutex_assertunlocked(&mutex);
}
static void wait_unlocked(void)
{
    gasnett_cond_wait(&cond, &mutex);
}
static void rd_twice(void)
{
    gasnett_rwlock_rdlock(&lock);
    gasnett_rwlock_rdlock(&lock);
}
static void rw_unlock(void)
{
    gasnett_rwlock_unlock(&lock);
}
static void rw_assert(void)
{
    gasnett_rwlock_rdlock(&lock);
    gasnett_rwlock_assertwrlocked(&lock);
}
static void overrun(void)
{
    char *p = gasnett_debug_malloc(10);
    p[10] = 1;
    gasnett_debug_free(p);
}
static void overrun_all(void)
{
    char *p = gasnett_debug_malloc(10);
    p[11] = 1;
    gasnett_debug_memcheck_all();
}
static void underrun(void)
{
    char *p = gasnett_debug_malloc(10);
    p[-1] = 1;
    gasnett_debug_memcheck(p);
}
static void bad_number(void)
{
    gasnett_parse_int("12 apples", 0);
}
static void bad_size(void)
{
    gasnett_setenv("SIZE", "1.5 XB");
    gasnett_getenv_int_withdefault("SIZE", 0, 1);
}
static void bad_yesno(void)
{
    gasnett_setenv("CHOICE", "perhaps");
    gasnett_getenv_yesno_withdefault("CHOICE", 0);
}
static void bad_double(void)
{
    gasnett_setenv("REAL", "3/0");
    gasnett_getenv_dbl_withdefault("REAL", 0);
}
static void fatal(void)
{
    gasnett_fatalerror("reason %d", 42);
}
static void fatal_nopos(void)
{
    gasnett_fatalerror_nopos("reason %d", 42);
}

static const struct {
    const char *name;
    void (*make)(void);
} mistakes[] = {{"lock_twice", lock_twice},
                {"unlock_free", unlock_free},
                {"assert_locked", assert_locked},
                {"assert_unlocked", assert_unlocked},
                {"wait_unlocked", wait_unlocked},
                {"rd_twice", rd_twice},
                {"rw_unlock", rw_unlock},
                {"rw_assert", rw_assert},
                {"overrun", overrun},
                {"overrun_all", overrun_all},
                {"underrun", underrun},
                {"bad_number", bad_number},
                {"bad_size", bad_size},
                {"bad_yesno", bad_yesno},
                {"bad_double", bad_double},
                {"fatal", fatal},
                {"fatal_nopos", fatal_nopos}};

int main(int argc, char **argv)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    gasnett_backtrace_init(argv[0]);
    for (size_t i = 0; argc > 1 && i < sizeof mistakes / sizeof *mistakes; i++)
        if (strcmp(argv[1], mistakes[i].name) == 0)
            mistakes[i].make();
    return 0;
}
