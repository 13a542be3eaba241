#!/usr/bin/env bash
# Checks that a program that uses Settle alone loads neither the whole of Foundation nor ICU. Takes options of `swift build`.
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
