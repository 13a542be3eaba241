#!/bin/sh
# Checks that wrong declarations of settings are refused with our own words. Build the package first.
# Usage: Tests/Diagnostics/check.sh [build folder, by default .build/debug]
set -u
build=${1:-.build/debug}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect NAME TEXT: the declaration on standard input must be refused with TEXT in an error's line.
expect() {
    { echo 'import Settle'; cat; } >"$folder/$1.swift"
    if swiftc -typecheck -swift-version 6 -I "$build/Modules" "$folder/$1.swift" >"$folder/$1.out" 2>&1; then
        echo "$1: compiles, but must not"
        failures=$((failures + 1))
    elif ! grep -F 'error: ' "$folder/$1.out" | grep -qF "$2"; then
        echo "$1: not refused with “$2”, but with:"
        grep 'error:' "$folder/$1.out"
        failures=$((failures + 1))
    fi
}

# accept NAME: the declaration on standard input must compile.
accept() {
    { echo 'import Settle'; cat; } >"$folder/$1.swift"
    if ! swiftc -typecheck -swift-version 6 -I "$build/Modules" "$folder/$1.swift" >"$folder/$1.out" 2>&1; then
        echo "$1: does not compile:"
        grep 'error:' "$folder/$1.out"
        failures=$((failures + 1))
    fi
}

accept good <<'SWIFT'
struct Good: SettingsGroup {
    @Setting var number = 0
    @Setting("key") var text: String?
    @Setting(in: 0...5) var small = 1
}
SWIFT

expect missing-default "A setting needs a default value: write '@Setting var name = value'." <<'SWIFT'
struct MissingDefault: SettingsGroup {
    @Setting var number: Int
}
SWIFT

expect unsupported-type "A setting's value must be Codable (and Sendable)" <<'SWIFT'
struct Plain: Sendable {}
struct Unsupported: SettingsGroup {
    @Setting var plain = Plain()
}
SWIFT

expect missing-default-with-key "A setting needs a default value: write '@Setting(…) var name = value'." <<'SWIFT'
struct MissingDefaultWithKey: SettingsGroup {
    @Setting("key") var number: Int
}
SWIFT

[ "$failures" -eq 0 ] && echo "The compiler's messages are as they should be."
exit "$failures"
