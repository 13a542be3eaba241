#!/bin/sh
# Counts the syncs of a durable commit: those of a run with many commits minus those of a run with one.
# Needs strace and a release build of settle-bench.
set -eu

commits=${1:-200}
bench=$(dirname "$0")/.build/release/settle-bench
[ -x "$bench" ] || { echo "Build it first: swift build -c release --package-path $(dirname "$0")" >&2; exit 1; }
table=$(mktemp)
trap 'rm -f "$table"' EXIT

syncs() {
    strace -f -c -e trace=fsync,fdatasync,sync_file_range,msync -o "$table" "$bench" commits "$1" >/dev/null
    awk '$NF ~ /^(fsync|fdatasync|sync_file_range|msync)$/ { sum += $4 } END { print sum + 0 }' "$table"
}

one=$(syncs 1)
many=$(syncs $((commits + 1)))
awk -v one="$one" -v many="$many" -v commits="$commits" 'BEGIN {
    printf "%d commits made %d syncs: %.3f syncs per commit\n", commits, many - one, (many - one) / commits
}'
