# SPDX-License-Identifier: BSD-3-Clause
#
# Mistakes end the process by SIGABRT with a line that names place and cause.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
rooms=$CAUSEWAY_TEST_SOURCE/tests/gasnet_tools
check "compiles" oshcc -g -rdynamic "$rooms/misuse.c" -o misuse -lgasnet_tools-par || finish
mistake() { refuses 134 "FATAL.*$2" ./misuse "$1"; }
mistake lock_twice 'misuse.c:[0-9]+: gasnett_mutex_lock: this thread holds'
mistake unlock_free 'misuse.c:[0-9]+: gasnett_mutex_unlock: this thread does not hold'
mistake assert_locked 'misuse.c:[0-9]+: assertion failed: the mutex .* is not held'
mistake assert_unlocked 'misuse.c:[0-9]+: assertion failed: the mutex .* is held'
mistake wait_unlocked 'gasnett_cond_wait: this thread does not hold'
mistake rd_twice 'gasnett_rwlock_rdlock: this thread holds'
mistake rw_unlock 'gasnett_rwlock_unlock: this thread does not hold'
mistake rw_assert 'should be locked for writing'
mistake overrun 'past its end \(10 bytes, allocated at .*misuse.c:'
mistake overrun_all 'past its end'
mistake underrun 'in front of it'
mistake bad_number '"12 apples" is not a number'
mistake bad_size 'SIZE="1.5 XB": give a size of memory'
mistake bad_yesno 'CHOICE="perhaps" is neither yes nor no'
mistake bad_double 'REAL="3/0": give a number'
mistake fatal 'misuse.c:[0-9]+: reason 42'
mistake fatal_nopos 'on [^ ]+: reason 42'
export GASNET_BACKTRACE=1
refuses 134 'misuse\(.*main' ./misuse fatal
unset GASNET_BACKTRACE
GASNET_BACKTRACE_SIGNAL=SIGNONE refuses 134 'GASNET_BACKTRACE_SIGNAL="SIGNONE"' ./misuse none
check 'no mistake' ./misuse none

# A program built for another release does not link.
cat >other.c <<'END'
#include <gasnet_tools.h>
#undef GASNETT_RELEASE_VERSION_MAJOR
#define GASNETT_RELEASE_VERSION_MAJOR 77
#define OTHER GASNETT_JOIN(RELEASE_MAJOR_, GASNETT_RELEASE_VERSION_MAJOR)
extern int GASNETT_LINKCONFIG_IDIOTCHECK(OTHER);
int main(void) { return GASNETT_LINKCONFIG_IDIOTCHECK(OTHER); }
END
refuses 1 'RELEASE_MAJOR_77' oshcc other.c -o other -lgasnet_tools-par
finish
