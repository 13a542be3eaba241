#!/usr/bin/env bash
# Checks that a program that uses Settle alone loads neither the whole of Foundation nor ICU, and that one that is linked with an
# archive of it stores the same values. Takes options of `swift build`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

swift build "$@"
program=$(swift build "$@" --show-bin-path)/Footprint
[ "$("$program")" = "starts: 1" ] || { echo "The program does not work."; exit 1; }
libraries=$(ldd "$program")
if ! grep -q 'libFoundationEssentials' <<<"$libraries"; then
    echo "The list of libraries is not what was expected:"
    echo "$libraries"
    exit 1
fi
if grep -E 'libFoundation\.so|libFoundationInternationalization|ICU|libFoundationNetworking|libFoundationXML' <<<"$libraries"; then
    echo "Settle must not load these."
    exit 1
fi
echo "Neither Foundation nor ICU is loaded."

# From an archive, a linker takes only the files that something names.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
built=$(dirname "$program")
ar rcs "$folder/libSettle.a" "$built"/Settle.build/*.o
libraries=(swiftDispatch dispatch BlocksRuntime FoundationEssentials swiftSynchronization swiftObservation)
libraries+=(swift_StringProcessing swift_RegexParser)
swiftc -swift-version 6 -I "$built/Modules" Archive/main.swift -L "$folder" -lSettle "${libraries[@]/#/-l}" -o "$folder/program"
differences=$("$folder/program")
if [ -n "$differences" ]; then
    echo "A program that is linked with an archive stores values in another way: $differences"
    exit 1
fi
echo "A program that is linked with an archive stores the same values."
