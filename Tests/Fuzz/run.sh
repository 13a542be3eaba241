#!/bin/sh
# Fuzzes the readers of the file formats, of the journal, of arguments, variables and their files, of property lists in the
# old text form, of tables of texts, and of archives with libFuzzer.
#
#     Tests/Fuzz/run.sh [runs] [folder] [target…]
#
# The targets are formats, journal, text, oldtext, strings and archives; without one, all of them. The long run, which takes
# half an hour, is
#
#     Tests/Fuzz/run.sh 500000 '' archives oldtext strings
#
# The folder keeps the programs, the inputs that reached new code, and those that failed: the next run begins with the
# former. An input fails that traps, gives a wrong answer, takes more than a second of the processor's time, or makes the
# program larger than 256 MiB, sanitizer and all inputs included, or allocates 64 MiB at once. At the end of a target the
# longest input and the peak of the memory are printed. FUZZ_SECONDS is another limit for libFuzzer's own clock, for a machine
# that does other things too. With FUZZ_SEED, which is not 0, two runs try the same inputs. FUZZ_OPTIMIZATION=-Onone compiles in
# a third of the time, for few runs.
#
# SwiftPM cannot link libFuzzer into an executable, so the sources are compiled directly.
set -eu

runs=${1:-1000000}
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../Sources/Settle
interchange=$here/../../Sources/SettleInterchange
folder=${2:-$here/../../.build/fuzz}
seconds=${FUZZ_SECONDS:-2}
library=

if [ $# -gt 2 ]; then shift 2; else shift $#; fi
[ $# -gt 0 ] || set -- formats journal text oldtext strings archives

# Lines are enough for a trace. With all of `-g`, the driver wants to write the module into the object file, too, and ends there.
compile() {
    swiftc "${FUZZ_OPTIMIZATION:--O}" -gline-tables-only -parse-as-library -sanitize=fuzzer,address -swift-version 6 -package-name settle \
        -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature MemberImportVisibility "$@"
}

# fuzz "options of libFuzzer" source…
fuzz() {
    options=$1
    shift
    compile -module-name Fuzzer -o "$folder/$target/fuzz" "$here/InputBounds.swift" "$@"
    # The options are several words on purpose. Traces of where memory came from would take most of the time; to look into a
    # failure, run the program with the input and without these options.
    # shellcheck disable=SC2086
    ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16:malloc_context_size=1 SWIFT_BACKTRACE=enable=no \
        "$folder/$target/fuzz" -runs="$runs" -seed="${FUZZ_SEED:-0}" -max_len=4096 -timeout="$seconds" -rss_limit_mb=256 -malloc_limit_mb=64 $options \
        -artifact_prefix="$folder/$target/" -print_final_stats=1 "$inputs"
}

# The same, with the values and the formats.
fuzz_values() {
    options=$1
    shift
    fuzz "$options" "$sources"/Values/Model/*.swift "$sources"/Values/Formats/*.swift "$here/SameValue.swift" "$@"
}

# The same, with the library as a module of its own, for what imports it. It is compiled once.
fuzz_interchange() {
    options=$1
    shift
    if [ -z "$library" ]; then
        library=$(mktemp -d)
        trap 'rm -r "$library"' EXIT
        compile -wmo -module-name Settle -emit-module -emit-module-path "$library/Settle.swiftmodule" \
            -c -o "$library/Settle.o" "$sources"/Values/Model/*.swift "$sources"/Values/Formats/*.swift \
            "$sources"/Layers/Text/*.swift "$sources/Files/SystemCalls/FilePath.swift"
    fi
    fuzz "$options" -I "$library" "$library/Settle.o" "$@"
}

fuzz_formats() {
    # The first byte chooses the format: 0 JSON, 1 XML, 2 binary.
    printf '\0{"a": [1, -2.5e-3, "\\u00e9", null, true, {}], "d": "2001-01-01T00:00:00.5Z"}' >"$inputs/json"
    printf '\0// a\n{\n\t"a": 1, // b\n\t"c\\/": { }, /* d */ "e": [1.50,],\n}' >"$inputs/comments"
    printf '\1<plist>\n<dict>\n<!-- a --><key>a</key> <true/> <!-- b -->\n<key>b</key>\n<dict/></dict></plist>' >"$inputs/lines"
    printf '\1<?xml version="1.0"?><!DOCTYPE plist><plist version="1.0"><dict><key>a</key><array><integer>1</integer>' \
        >"$inputs/xml"
    printf '<real>1</real><date>2001-01-01T00:00:00Z</date><data>AQID</data><string>&lt;</string></array></dict></plist>' \
        >>"$inputs/xml"
    printf '\2bplist00\323\1\2\3\4\5\6QaQbQc\20\7\243\4\7\10#?\360\0\0\0\0\0\0a\0\351\63A\0\0\0\0\0\0\0' \
        >"$inputs/binary"
    printf '\10\17\21\23\25\27\33\44\47\0\0\0\0\0\0\1\1\0\0\0\0\0\0\0\11\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\60' \
        >>"$inputs/binary"
    fuzz_values "-dict=$here/formats.dict" "$here/FormatFuzzer.swift"
}

fuzz_journal() {
    fuzz_values "" "$sources"/Storage/History/*.swift "$sources"/Files/Journal/*.swift "$sources/Storage/Protocols/SettingTree+Batch.swift" \
        "$sources/Files/FileStorage/LoadedValues.swift" "$sources/Files/FileStorage/StateFile+Edits.swift" \
        "$sources/Files/FileStorage/TreeDifference.swift" \
        "$sources/Files/FileStorage/JournalRelation.swift" "$sources/Files/FileStorage/KnownJournal+Union.swift" \
        "$sources/Platform/PlatformCalls.swift" "$here/SameRecord.swift" "$here/JournalFuzzer.swift"
}

fuzz_text() {
    printf -- '--port\0%s\0-passcode.attemptCount\0(1, 2)\0--no-log-use-color\0--token=x\0-v\0--\0--port' 80 >"$inputs/arguments"
    printf '%s\0{a = 1; "b\\U00e9" = (<0f bd>, c);} // d\0[1, {"a": 2}]\0001,yes,250ms\0pt_BR.UTF-8:de' 1m30s >"$inputs/values"
    printf '\357\273\277# c\r\nexport A='\''x\ny'\'' # z\nB="\\n\\q $D"\nC = d # e\nSECRET=4f1c9d0e' >"$inputs/environment"
    fuzz_values "-dict=$here/text.dict" "$sources"/Layers/Text/*.swift "$sources/Files/SystemCalls/FilePath.swift" \
        "$here/TextFuzzer.swift"
}

fuzz_oldtext() {
    fuzz_interchange "-dict=$here/oldtext.dict" "$interchange"/Documents/*.swift \
        "$interchange/Coercions/String+LeadingNumbers.swift" "$interchange/Coercions/SettingValue+Coercion.swift" \
        "$here/SameValue.swift" "$here/OldTextFuzzer.swift"
}

fuzz_strings() {
    fuzz_interchange "-dict=$here/oldtext.dict" "$interchange"/Documents/*.swift \
        "$interchange"/StringTables/*.swift "$here/StringsFuzzer.swift"
}

fuzz_archives() {
    fuzz_interchange "-dict=$here/archives.dict" "$interchange"/Archives/*.swift "$here/ArchiveFuzzer.swift"
}

for target in "$@"; do
    inputs=$folder/$target/inputs
    mkdir -p "$inputs"
    python3 "$here/seeds.py" "$target" "$inputs"
    "fuzz_$target"
done
