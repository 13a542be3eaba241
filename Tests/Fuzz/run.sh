#!/bin/sh
# Fuzzes the readers of the file formats with libFuzzer.
#
#     Tests/Fuzz/run.sh [runs] [folder]
#
# The folder keeps the program, the inputs that reached new code, and those that failed. SwiftPM cannot link libFuzzer
# into an executable, so the sources are compiled directly.
set -eu

runs=${1:-1000000}
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../Sources/Settle
folder=${2:-$here/../../.build/fuzz}
mkdir -p "$folder/inputs"

swiftc -O -g -parse-as-library -sanitize=fuzzer,address -swift-version 6 -package-name settle \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
    -enable-upcoming-feature MemberImportVisibility -module-name FormatFuzzer -o "$folder/fuzz" \
    "$sources"/Values/*.swift "$sources"/Formats/*.swift "$here/FormatFuzzer.swift"

# The first byte chooses the format: 0 JSON, 1 XML, 2 binary.
printf '\0{"a": [1, -2.5e-3, "\\u00e9", null, true, {}], "d": "2001-01-01T00:00:00.5Z"}' >"$folder/inputs/json"
printf '\1<?xml version="1.0"?><!DOCTYPE plist><plist version="1.0"><dict><key>a</key><array><integer>1</integer>' \
    >"$folder/inputs/xml"
printf '<real>1</real><date>2001-01-01T00:00:00Z</date><data>AQID</data><string>&lt;</string></array></dict></plist>' \
    >>"$folder/inputs/xml"
printf '\2bplist00\323\1\2\3\4\5\6QaQbQc\20\7\243\4\7\10#?\360\0\0\0\0\0\0a\0\351\63A\0\0\0\0\0\0\0' \
    >"$folder/inputs/binary"
printf '\10\17\21\23\25\27\33\44\47\0\0\0\0\0\0\1\1\0\0\0\0\0\0\0\11\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\60' \
    >>"$folder/inputs/binary"

ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no "$folder/fuzz" -runs="$runs" -max_len=4096 -timeout=5 \
    -rss_limit_mb=4096 -dict="$here/formats.dict" -artifact_prefix="$folder/" -print_final_stats=1 "$folder/inputs"
