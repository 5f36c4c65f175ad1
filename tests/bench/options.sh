# SPDX-License-Identifier: BSD-3-Clause
#
# Programs of the bench that are called by hand: wrong options and values are refused with what was
# expected, and a name of --only that no measurement has is answered with those that there are.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
bench=$CAUSEWAY_TEST_SOURCE/bench
check "latency" oshcc -O2 "$bench/latency.c" "$bench/common.c" -o latency
output_has 'max-bytes' ./latency --help
refuses 2 'unknown option --bogus' ./latency --bogus
refuses 2 'option --only needs a value' ./latency --only
refuses 2 '^\./latency: --max-bytes "1M": expected a whole number from 1$' ./latency --max-bytes 1M
refuses 2 '--samples "-1": expected' ./latency --samples -1
refuses 2 '--mode "99999999999": expected a smaller' ./latency --mode 99999999999
for value in x 0 nan; do
    refuses 2 "--budget-ms \"$value\": expected milliseconds" ./latency --budget-ms $value
done
refuses 2 '--target "none": expected barrier or busy' ./latency --target none
refuses 2 '--endpoint "tcp": expected rdm or msg' ./latency --endpoint tcp
output_has '--only "gets": no measurement has that name; there are p, .*, get$' \
    oshrun -n 2 ./latency --quick --only gets
output_has '"op":"get","bytes":8,' oshrun -n 2 ./latency --quick --only get --max-bytes 0x10
finish
