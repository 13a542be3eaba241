#!/usr/bin/env bash
# Type-checks what depends on the C library, against other ones than Glibc: check.sh REPOSITORY [Musl|Android|Bionic…].
#
# Needs the headers of musl (Debian's musl-dev), in the folder that MUSL names, /usr/include/x86_64-linux-musl by default. README.md
# says what this proves.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); repo=$(cd "$1" && pwd); shift
[ $# -gt 0 ] || set -- Musl Android Bionic
musl=${MUSL:-/usr/include/x86_64-linux-musl}
[ -e "$musl/stdio.h" ] || { echo "The headers of musl are not in $musl: install musl-dev, or name their folder in MUSL."; exit 1; }
lib=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift; work=${WORK:-}
[ -n "$work" ] || { work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; }
status=0

strict=(-swift-version 6 -package-name settle -parse-as-library -plugin-path "$lib/host/plugins" -enable-testing)
for f in ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault; do strict+=(-enable-upcoming-feature "$f"); done

for platform; do
    out=$work/$platform; rm -rf "$out"; mkdir -p "$out/sdk/usr/include" "$out/res/linux" "$out/clang"
    cp -r "$musl/." "$out/sdk/usr/include"
    for d in linux asm-generic; do ln -s "/usr/include/$d" "$out/sdk/usr/include/$d"; done
    ln -s /usr/include/x86_64-linux-gnu/asm "$out/sdk/usr/include/asm"
    [ "$platform" = Musl ] || cp "$here"/include/bionic/* "$out/sdk/usr/include"
    cp "$here/include/CLibrary.h" "$out/clang"
    echo 'module CLibrary [system] { header "CLibrary.h" export * }' >"$out/clang/module.modulemap"
    # The toolchain's own modules, without Glibc.
    for d in shims clang apinotes; do ln -s "$lib/$d" "$out/res/$d"; done
    for m in Swift _Concurrency SwiftOnoneSupport _StringProcessing; do
        ln -s "$lib/linux/$m.swiftmodule" "$out/res/linux/$m.swiftmodule"
    done
    common=(-target x86_64-unknown-linux-gnu -sdk "$out/sdk" -I "$out" -I "$out/clang" -disable-objc-interop
        -module-cache-path "$out/cache" -resource-dir "$out/res" -Xcc -D_GNU_SOURCE)
    # Bionic's signal handler has no name for the union that it is in.
    [ "$platform" = Musl ] || common+=(-Xcc -D__sa_handler=)
    swift-frontend "${common[@]}" -swift-version 5 -parse-as-library -emit-module -module-name "$platform" "$here/CLibrary.swift" \
        -o "$out/$platform.swiftmodule"
    for m in Synchronization Observation; do
        sed "s/^import Glibc/import $platform/; s/_swift_stdlib_gettid()/UInt32(0)/" \
            "$lib/linux/$m.swiftmodule/x86_64-unknown-linux-gnu.private.swiftinterface" >"$out/$m.swiftinterface"
        swift-frontend -compile-module-from-interface "$out/$m.swiftinterface" -module-name "$m" -o "$out/$m.swiftmodule" \
            "${common[@]}"
    done
    for m in Dispatch Foundation; do
        # Not exported, since on Linux they do not: otherwise they would hide that a file lacks the import.
        sed "s/^@_exported import Darwin/import $platform/" "$here/../Apple/overlay/$m.swift" >"$out/$m.swift"
        swift-frontend "${common[@]}" -swift-version 5 -parse-as-library -suppress-warnings -emit-module -module-name "$m" \
            -enable-library-evolution "$out/$m.swift" -o "$out/$m.swiftmodule"
    done
    for m in Settle SettleInterchange SettleUsers SettleCommand SettleTesting; do
        files=()
        while IFS= read -r -d '' file; do
            # Types are checked in the files that depend on the platform; the others only say what there is.
            if grep -qE '#(if|elseif).*(canImport\((Darwin|Glibc)|os\()' "$file"; then files+=(-primary-file); fi
            files+=("$file")
        done < <(find "$repo/Sources/$m" -name '*.swift' -not -path '*.docc/*' -print0 | sort -z)
        echo "== $platform: $m"
        swift-frontend "${common[@]}" "${strict[@]}" -typecheck -module-name "$m" "${files[@]}" || { status=1; break; }
        swift-frontend "${common[@]}" "${strict[@]}" -emit-module -experimental-skip-all-function-bodies -module-name "$m" \
            -o "$out/$m.swiftmodule" "${files[@]/-primary-file/}" || { status=1; break; }
    done
done
exit $status
