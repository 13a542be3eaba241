#!/bin/sh
# Compares this checkout with another commit: compare.sh REV [rows] [further options of settle-bench compare].
# Builds settle-bench with both libraries, runs them in turns, and prints how many times longer ours takes, row by row.
set -eu

revision=${1:?usage: compare.sh REV [rows] [--rounds 5] [--quick]}
rows=${2:-R1,R1u,R5,R6}
[ $# -lt 2 ] && shift || shift 2

here=$(cd "$(dirname "$0")" && pwd)
top=$(git -C "$here" rev-parse --show-toplevel)
commit=$(git -C "$top" rev-parse --verify --short=12 "$revision^{commit}")
folder=$here/.build/compare/$commit
source=$folder/source

# A copy instead of a work tree, so that git remembers nothing of it.
export_theirs() {
    rm -rf "$source"
    mkdir -p "$source"
    git -C "$top" archive "$commit" | tar -x -C "$source"
}

build() {
    swift build -c release --disable-build-manifest-caching --package-path "$1" --scratch-path "$2" >"$folder/build.log" 2>&1
}

mkdir -p "$folder"
echo "Building this checkout and $commit: minutes at first. What the compiler says is in $folder/build.log." >&2
build "$here" "$here/.build/compare/ours" || { grep error: "$folder/build.log" >&2; exit 1; }
[ -d "$source" ] || export_theirs
if [ ! -f "$folder/own-benchmarks" ]; then
    rm -rf "$source/Tests/Benchmarks/Sources"
    cp -Rp "$here/Sources" "$here/Package.swift" "$source/Tests/Benchmarks/"
    if ! build "$source/Tests/Benchmarks" "$folder/theirs"; then
        export_theirs
        build "$source/Tests/Benchmarks" "$folder/theirs" || { grep error: "$folder/build.log" >&2; exit 1; }
        touch "$folder/own-benchmarks"
    fi
fi
if [ -f "$folder/own-benchmarks" ]; then
    echo "These benchmarks don't compile against $commit: it is measured with its own." >&2
fi
"$here/.build/compare/ours/release/settle-bench" compare "$folder/theirs/release/settle-bench" --rows "$rows" "$@"
