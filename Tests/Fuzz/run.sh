#!/bin/sh
# Fuzzes the readers of the file formats, of the journal, and of arguments, variables and other text with libFuzzer.
#
#     Tests/Fuzz/run.sh [runs] [folder] [formats | journal | text]
#
# The folder keeps the programs, the inputs that reached new code, and those that failed. SwiftPM cannot link libFuzzer
# into an executable, so the sources are compiled directly. An input may take a second (FUZZ_SECONDS for another limit, on a
# machine that does other things too) and 256 MiB.
set -eu

runs=${1:-1000000}
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../Sources/Settle
folder=${2:-$here/../../.build/fuzz}
only=${3:-}
seconds=${FUZZ_SECONDS:-1}

# fuzz name "options of libFuzzer" source…
fuzz() {
    name=$1
    options=$2
    shift 2
    swiftc -O -g -parse-as-library -sanitize=fuzzer,address -swift-version 6 -package-name settle \
        -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature MemberImportVisibility -module-name Fuzzer -o "$folder/$name/fuzz" \
        "$sources"/Values/*.swift "$sources"/Formats/*.swift "$here/SameValue.swift" "$@"
    # The options are several words on purpose.
    # shellcheck disable=SC2086
    ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 SWIFT_BACKTRACE=enable=no "$folder/$name/fuzz" -runs="$runs" -max_len=4096 \
        -timeout="$seconds" -rss_limit_mb=256 $options \
        -artifact_prefix="$folder/$name/" -print_final_stats=1 "$folder/$name/inputs"
}

fuzz_formats() {
    inputs=$folder/formats/inputs
    mkdir -p "$inputs"
    # The first byte chooses the format: 0 JSON, 1 XML, 2 binary.
    printf '\0{"a": [1, -2.5e-3, "\\u00e9", null, true, {}], "d": "2001-01-01T00:00:00.5Z"}' >"$inputs/json"
    printf '\1<?xml version="1.0"?><!DOCTYPE plist><plist version="1.0"><dict><key>a</key><array><integer>1</integer>' \
        >"$inputs/xml"
    printf '<real>1</real><date>2001-01-01T00:00:00Z</date><data>AQID</data><string>&lt;</string></array></dict></plist>' \
        >>"$inputs/xml"
    printf '\2bplist00\323\1\2\3\4\5\6QaQbQc\20\7\243\4\7\10#?\360\0\0\0\0\0\0a\0\351\63A\0\0\0\0\0\0\0' \
        >"$inputs/binary"
    printf '\10\17\21\23\25\27\33\44\47\0\0\0\0\0\0\1\1\0\0\0\0\0\0\0\11\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\60' \
        >>"$inputs/binary"
    fuzz formats "-dict=$here/formats.dict" "$here/FormatFuzzer.swift"
}

fuzz_journal() {
    inputs=$folder/journal/inputs
    mkdir -p "$inputs"
    # Described records: kind, size and number of keys, size of the rest. Values, checkpoint, edited, values with a tree.
    values='\0\4\2\20\1a\1b\5\0\4\2\0\13\1\1x\12\2\1\3\7\1y'
    checkpoint='\1\0\0\30\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\100\0\0\0\0\0\0\0'
    edited='\203\2\1\36\1k\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\6\1\1m\5\0\0\0\0\0\0\360\77\0'
    tree='\200\0\377\12\7\0\13\1\1k\11\2xy'
    printf "\1$values$checkpoint$edited$tree" >"$inputs/described"
    printf "\2\0\20\4\0$values$checkpoint$edited$tree" >"$inputs/damaged"
    fuzz journal "" "$sources"/History/*.swift "$sources"/Journal/*.swift "$sources/Storage/SettingTree+Batch.swift" \
        "$sources/Storage/KeptValues.swift" \
        "$here/JournalFuzzer.swift"
}

fuzz_text() {
    inputs=$folder/text/inputs
    mkdir -p "$inputs"
    printf -- '--port\0%s\0-passcode.attemptCount\0(1, 2)\0--no-log-use-color\0--token=x\0-v\0--\0--port' 80 >"$inputs/arguments"
    printf '%s\0{a = 1; "b\\U00e9" = (<0f bd>, c);} // d\0[1, {"a": 2}]\0001,yes,250ms\0pt_BR.UTF-8:de' 1m30s >"$inputs/values"
    fuzz text "-dict=$here/text.dict" "$sources"/Text/*.swift "$here/TextFuzzer.swift"
}

for target in formats journal text; do
    [ "${only:-$target}" != "$target" ] || "fuzz_$target"
done
