# SPDX-License-Identifier: BSD-3-Clause
# The model of UPC runtime calls runs on one node and on two, counts instructions, and prints that
# it is a model.
set -eu
insn=$CAUSEWAY_TEST_SOURCE/bench/insn
[ "$(uname -m)" = x86_64 ] || { echo "SKIP: instructions are counted on x86-64 only"; exit 77; }
oshcc -O2 -std=gnu11 -Wall -Wextra -Werror -I"$insn" "$insn/upc_calls.c" "$insn/step.c" \
    -o upc_calls -ldl
export LD_BIND_NOW=1
oshrun -n 2 ./upc_calls | tee node
grep -q 'hand-written model, no UPC compiler' node
for line in 'own thread' 'same node, put_val' 'same node, put_nbi_val without' \
    'upc_fence, nothing pending'; do
    grep -Eq "$line.* [1-9][0-9]* in all" node || { echo "FAIL: no count for: $line"; exit 1; }
done
oshrun -n 2 --emulate-nodes 2 ./upc_calls | tee nodes
for line in 'other node, put_val' 'other node, put_nbi_val' 'other node, put_bulk' \
    'relaxed shared write, alone' 'relaxed shared write, one of four'; do
    grep -Eq "$line.* [1-9][0-9]*(-[0-9]+)? +to it" nodes ||
        { echo "FAIL: no count for: $line"; exit 1; }
done
