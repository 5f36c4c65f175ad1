#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# meson -Dchecking=false builds, says so when checking mode is asked for, and leaves the checks out.
set -u
fail() { echo "FAIL: $*"; exit 1; }
src=$CAUSEWAY_TEST_SOURCE
meson setup -Dchecking=false -Dtests=false --prefix "$PWD/stage" --libdir lib off "$src" >log 2>&1 || { cat log; fail "setup"; }
ninja -C off -j2 >>log 2>&1 && meson install -C off --no-rebuild --quiet >>log 2>&1 || { tail -n 40 log; fail "build"; }

stage/bin/oshcc -O2 -o misuse "$src/tests/api/misuse.c" || fail "oshcc"
CAUSEWAY_CHECK=1 stage/bin/oshrun -n 2 ./misuse put_to_private >out 2>&1
grep -q "built without checks (meson option checking)" out || { cat out; fail "CAUSEWAY_CHECK=1 is ignored silently"; }
grep -q "is not symmetric" out && { cat out; fail "it checks all the same"; }
# What every build notices.
CAUSEWAY_CHECK=1 stage/bin/oshrun -n 2 ./misuse p_pe_too_high >out 2>&1
grep -q "there is no PE 2" out || { cat out; fail "a PE that does not exist"; }

text() { size "$1" | awk 'NR == 2 { print $1 }'; }
with=$(text "$CAUSEWAY_TEST_STAGE/lib/libcauseway.so") without=$(text stage/lib/libcauseway.so)
echo "bytes of code and constants: $with with checks, $without without ($((with - without)) less)"
[ "$without" -lt "$with" ] || fail "nothing was left out"
nm off/libcauseway.a 2>/dev/null | grep -q ' T shm_lock_check_set' && fail "the lock checks are still there"
exit 0
