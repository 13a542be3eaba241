#!/usr/bin/env bash
# Type-checks Sources for Apple's platforms on Linux: check.sh REPOSITORY [TRIPLE…]. Half a minute for each of them.
#
# The interfaces of the standard library are the toolchain's own, recompiled for the target; those of Darwin, Dispatch, os,
# Core Foundation, Security, Foundation and SwiftUI stand in include and overlay, with what the sources use of them and since when it is there. So it tells of
# wrong types, of calls that a platform does not have, and of data races that the compiler sees. It runs nothing, links nothing, and
# believes what stands in these two folders: it is no Mac, see README.md. What it has compiled stays in the folder that WORK
# names, if that is set. If SYMBOLS names a folder, it writes the symbol graphs of SettleUI there, in a folder for each triple:
# the module is empty on Linux.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); repo=$(cd "$1" && pwd); shift
[ $# -gt 0 ] || set -- x86_64-apple-macosx15.0 x86_64-apple-ios18.0-simulator x86_64-apple-tvos18.0-simulator x86_64-apple-watchos11.0-simulator
lib=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift; work=${WORK:-}
[ -n "$work" ] || { work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; }
mkdir -p "$work/res" "$work/sdk/usr"; ln -sfn "$here/include" "$work/sdk/usr/include"; for d in shims clang apinotes; do ln -sfn "$lib/$d" "$work/res/$d"; done; status=0
for triple; do
    out=$work/$triple; mkdir -p "$out"
    common=(-target "$triple" -sdk "$work/sdk" -I "$out" -disable-objc-interop
        -module-cache-path "$out/cache" -resource-dir "$work/res")
    for m in Swift _Concurrency SwiftOnoneSupport _StringProcessing Darwin Synchronization Observation; do
        [ -e "$out/$m.swiftmodule" ] && continue
        if [ $m = Darwin ]; then
            swift-frontend "${common[@]}" -swift-version 5 -parse-as-library -emit-module -module-name Darwin -import-underlying-module \
                "$here/overlay/Darwin.swift" -o "$out/Darwin.swiftmodule"; continue
        fi
        python3 - "$lib/linux/$m.swiftmodule/x86_64-unknown-linux-gnu.private.swiftinterface" "$out/$m.swiftinterface" "$triple" <<'P'
import re, sys
text = open(sys.argv[1]).read()
text = text.replace('-target x86_64-unknown-linux-gnu', '-target ' + sys.argv[3] + ' -disable-availability-checking', 1)
text = text.replace('-target-min-inlining-version min', '').replace('\nimport Glibc', '\nimport Darwin')
text = re.sub(r'@backDeployed\(before:[^)]*\)', '', text)
text = text.replace('_swift_stdlib_gettid()', 'UInt32(0)')
open(sys.argv[2], 'w').write(text)
P
        parse=(); case $m in Swift|_Concurrency|SwiftOnoneSupport|_StringProcessing) parse=(-parse-stdlib);; esac
        swift-frontend -compile-module-from-interface "$out/$m.swiftinterface" -module-name $m -o "$out/$m.swiftmodule" "${common[@]}" ${parse[@]+"${parse[@]}"} 2> "$out/$m.log" ||
            { cat "$out/$m.log"; exit 1; }
    done
    for m in os Dispatch CoreFoundation Security Foundation SwiftUI; do
        swift-frontend "${common[@]}" -swift-version 5 -parse-as-library -suppress-warnings -emit-module -module-name $m -enable-library-evolution \
            "$here/overlay/$m.swift" -o "$out/$m.swiftmodule"
    done
    strict=(-swift-version 6 -package-name settle -parse-as-library -plugin-path "$lib/host/plugins" -enable-testing)
    for f in ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault; do strict+=(-enable-upcoming-feature "$f"); done
    echo "== $triple"
    for m in Settle SettleInterchange SettleUsers SettleHTTP SettlePanel SettleTesting SettleUI; do
        # What the package manager makes of the files that it puts into the code.
        embedded=()
        if [ -d "$repo/Sources/$m/Assets" ]; then
            embedded=("$out/$m-embedded.swift")
            { echo "struct PackageResources {"
                find "$repo/Sources/$m/Assets" -type f ! -name '*.swift' -exec basename {} \; | tr '.-' '__' |
                    sed 's/.*/    static let &: [UInt8] = []/'
                echo "}"; } >"${embedded[0]}"
        fi
        graphs=()
        if [ $m = SettleUI ] && [ -n "${SYMBOLS:-}" ]; then
            mkdir -p "$SYMBOLS/$triple"
            graphs=(-emit-symbol-graph -emit-symbol-graph-dir "$SYMBOLS/$triple" -symbol-graph-minimum-access-level public
                -symbol-graph-skip-synthesized-members -omit-extension-block-symbols)
        fi
        { find "$repo/Sources/$m" -name '*.swift' -not -path '*.docc/*' -print0; [ ${#embedded[@]} -eq 0 ] || printf '%s\0' "${embedded[@]}"; } | sort -z |
            xargs -0 swift-frontend "${common[@]}" "${strict[@]}" -emit-sil -o /dev/null -module-name $m \
            -emit-module-path "$out/$m.swiftmodule" ${graphs[@]+"${graphs[@]}"} || { status=1; break; }
    done
    swift-frontend "${common[@]}" -swift-version 6 -parse-as-library -plugin-path "$lib/host/plugins" -emit-sil -o /dev/null \
        -module-name Samples "$here"/samples/*.swift || status=1
done
exit $status
