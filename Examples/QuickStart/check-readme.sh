#!/usr/bin/env bash
# Checks that the README shows this example word for word, with what it prints and saves, before line 40. Takes options of `swift run`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# block N: the Nth code block of the README, without its fences.
block() {
    awk -v wanted="$1" '/^```/ { if (!inside) number++; inside = !inside; next } inside && number == wanted' README.md
}

# Not in the settings of the user.
configuration="$(mktemp -d)"
trap 'rm -rf "$configuration"' EXIT

diff <(block 1) Examples/QuickStart/Sources/QuickStart/main.swift
printed="$(XDG_CONFIG_HOME="$configuration" swift run --quiet --package-path Examples/QuickStart "$@" QuickStart)"
diff <(block 2) - <<END
\$ swift run --package-path Examples/QuickStart
$printed
\$ cat ~/.config/com.example.quick-start/settings.json
$(cat "$configuration/com.example.quick-start/settings.json")
END
end="$(awk '/^```/ && ++fences == 4 { print NR - 1; exit }' README.md)"
if [ "$end" -ge 40 ]; then
    echo "The output of the example ends on line $end of the README, not before line 40."
    exit 1
fi
