# SPDX-License-Identifier: BSD-3-Clause
# What ARMCI's calls to a process of the same node take: blocking and non-blocking ones copy, and do
# nothing else.
set -eu
bench=$CAUSEWAY_TEST_SOURCE/bench
[ "$(uname -m)" = x86_64 ] || { echo "SKIP: instructions are counted on x86-64 only"; exit 77; }
oshcc -O2 -std=gnu11 -I"$bench" -I"$bench/insn" "$bench/insn/pgas_calls.c" "$bench/insn/step.c" \
    "$bench/common.c" -o pgas_calls
LD_BIND_NOW=1 oshrun -n 2 ./pgas_calls >rows || { cat rows; exit 1; }
while read -r call most; do
    taken=$(sed -n "s/.*\"op\":\"$call\.total\.next\".*\"median\":\([0-9]*\).*/\1/p" rows)
    echo "$call: $taken instructions, at most $most"
    [ -n "$taken" ] && [ "$taken" -le "$most" ] || { echo "FAIL: $call"; exit 1; }
done <<'CALLS'
ARMCI_Put.8 22
ARMCI_Get.8 22
ARMCI_NbPut.8 40
ARMCI_Fence 17
CALLS
