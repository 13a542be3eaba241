#!/bin/sh
# Counts the threads that a durable commit or flush wakes: those of a run with many of them minus those of a run with one. Fails if
# there are more than two for each: the one that syncs, and the caller. The thread that watches the files is not counted;
# the kernel wakes it for each write to the journal. Needs strace and a release build of settle-bench.
set -eu

count=${1:-200}
bench=$(dirname "$0")/.build/release/settle-bench
[ -x "$bench" ] || { echo "Build it first: swift build -c release --package-path $(dirname "$0")" >&2; exit 1; }
table=$(mktemp)
trap 'rm -f "$table"' EXIT

wakes() {
    strace -f -e trace=futex -o "$table" "$bench" commits "$@" >/dev/null
    # A call that others interrupt stands on two lines; the second has the result.
    awk '/FUTEX_WAKE/ { waking[$1] = 1 } /FUTEX_WAIT/ { waking[$1] = 0 }
         / = [0-9]+$/ { if (waking[$1]) sum += $NF; waking[$1] = 0 } END { print sum + 0 }' "$table"
}

code=0
for caller in detached immediate actor main-actor; do
    for flush in "" --flush; do
        # shellcheck disable=SC2086
        one=$(wakes 1 --from $caller $flush)
        # shellcheck disable=SC2086
        many=$(wakes $((count + 1)) --from $caller $flush)
        awk -v one="$one" -v many="$many" -v count="$count" -v caller="$caller" -v flush="$flush" 'BEGIN {
            wakes = (many - one) / count
            printf "%d %s from %s woke %d threads: %.2f each\n", count, flush ? "flushes" : "commits", caller, many - one, wakes
            exit wakes > 2.5
        }' || code=1
    done
done
exit $code
