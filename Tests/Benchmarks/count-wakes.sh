#!/bin/sh
# Counts the threads that a durable commit or flush wakes: those of a run with many of them minus those of a run with one. Fails if
# there are more than two for each: the one that syncs, and the caller. Counts the same, in both processes, for a change that a task
# of another process follows, and fails if there are more than three. The thread that watches the files is not counted; the kernel
# wakes it for each write to the journal. Needs strace and a release build of settle-bench.
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
count_wakes() {
    limit=$1
    what=$2
    shift 2
    one=$(wakes 1 "$@")
    many=$(wakes $((count + 1)) "$@")
    awk -v one="$one" -v many="$many" -v count="$count" -v what="$what" -v limit="$limit" 'BEGIN {
        wakes = (many - one) / count
        printf "%d %s woke %d threads: %.2f each\n", count, what, many - one, wakes
        exit wakes > limit + 0.5
    }' || code=1
}
for caller in detached immediate actor main-actor; do
    count_wakes 2 "commits from $caller" --from $caller
    count_wakes 2 "flushes from $caller" --from $caller --flush
done
count_wakes 3 "changes that another process follows" --follow
exit $code
