# SPDX-License-Identifier: BSD-3-Clause
#
# causeway-info --all: what it finds here, and what it finds where jobs do not work.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
commit=$("$CAUSEWAY_TEST_SOURCE/maint/commit.sh")
output_has "^  commit +${commit%-dirty}" causeway-info
output_has '^  commit +([0-9a-f]{12}(-dirty)?|unknown)$' causeway-info --all

# says PATTERN: the last output has such a line.
says() {
    checks=$((checks + 1))
    grep -Eq -e "$1" check.out || bad "'$1' is not in: $(cat check.out)"
}
says '^  options .*(with|without) PMIx'
says "^  programs +$stage/bin$"
says "^  library +$stage/lib.*/libcauseway\.so\."
says '^  oshrun .*this machine'
says '^  PMIx '
says '^  PMI-1 '
says '^  PMI-2 '
says '^  processors +[0-9]+ online, [0-9]+ allowed'
says '^  memory +[0-9]+ MiB'
says '^  control groups '
says '^  huge pages '
says '^  /dev/shm '
says '^  ptrace scope '
says '^  ulimit -n, files '
says '^libfabric|^  libfabric [0-9]'
says '^  2 PEs of one node +works$'
says '^  2 emulated nodes +works$'
says '^What may stop jobs here$'
output_has '^  CAUSEWAY_SPIN +7$' env CAUSEWAY_SPIN=7 causeway-info -a
# The jobs run with what is set, and so fail with it; what they say is shown.
refuses 1 '^  2 PEs of one node +FAILS$' env CAUSEWAY_SPIN=many causeway-info --all
says 'CAUSEWAY_SPIN'
says '^  - a job that was tried failed'
# oshrun cannot make what PEs share.
output_has '^  - ulimit -f holds for shared memory' sh -c \
    '(ulimit -f 1; exec causeway-info --all 2>&1) | cat'
says '^  2 PEs of one node +FAILS$'
# Without libfabric a job of one node works.
output_has '^  - libfabric cannot be used' env CAUSEWAY_LIBFABRIC=/nowhere/lib.so \
    causeway-info --all
says '^  2 PEs of one node +works$'
checks=$((checks + 1))
grep -q 'emulated nodes' check.out && bad "two nodes were tried without libfabric"
# Another oshrun comes first.
mkdir other && printf '#!/bin/sh\n' >other/oshrun && chmod +x other/oshrun
output_has 'the first oshrun in PATH is .*other/oshrun' env PATH="$PWD/other:$PATH" \
    causeway-info --all
# What the jobs would write is not written.
output_has '^  CAUSEWAY_STATS +json:stats.json$' env CAUSEWAY_STATS=json:stats.json \
    causeway-info --all
checks=$((checks + 1))
[ ! -e stats.json ] || bad "a job wrote statistics"
finish
