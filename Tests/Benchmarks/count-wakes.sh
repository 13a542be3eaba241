#!/bin/sh
# Counts the threads that a durable commit wakes: those of a run with many commits minus those of a run with one. Fails if
# there are more than two for each: the one that syncs, and the caller. The thread that watches the files is not counted;
# the kernel wakes it for each write to the journal. From the main actor there are more, which are only counted: each
# wake-up of the main thread passes through another one, and waiting that can be cancelled passes through the pool.
# Needs strace and a release build of settle-bench.
set -eu

commits=${1:-200}
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
for option in "" --on-main-actor; do
    # shellcheck disable=SC2086
    one=$(wakes 1 $option)
    # shellcheck disable=SC2086
    many=$(wakes $((commits + 1)) $option)
    awk -v one="$one" -v many="$many" -v commits="$commits" -v option="$option" 'BEGIN {
        wakes = (many - one) / commits
        printf "%d commits%s woke %d threads: %.2f per commit\n", commits, option ? " from the main actor" : "", many - one, wakes
        exit option == "" && wakes > 2.5
    }' || code=1
done
exit $code
