#!/bin/sh
# Checks that wrong declarations of settings are refused with our own words. Build the package first.
# Usage: Tests/Diagnostics/check.sh [build folder, by default .build/debug]
set -u
build=${1:-.build/debug}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
# For the compiler, beside those of all checks.
flags=

# expect NAME TEXT: the declaration on standard input must be refused with TEXT in an error's line.
expect() {
    { echo 'import Settle'; cat; } >"$folder/$1.swift"
    if swiftc -typecheck -swift-version 6 $flags -I "$build/Modules" "$folder/$1.swift" >"$folder/$1.out" 2>&1; then
        echo "$1: compiles, but must not:"
        cat "$folder/$1.swift"
        failures=$((failures + 1))
    elif ! grep -F 'error: ' "$folder/$1.out" | grep -qF "$2"; then
        # shellcheck disable=SC1111 # The quotation marks are meant.
        echo "$1: not refused with “$2”, but with:"
        grep 'error:' "$folder/$1.out"
        failures=$((failures + 1))
    fi
}

# accept NAME: the code on standard input must compile without a warning, and not end the compiler.
accept() {
    { echo 'import Settle'; cat; } >"$folder/$1.swift"
    if ! swiftc -emit-sil -o /dev/null -swift-version 6 -warnings-as-errors $flags -I "$build/Modules" "$folder/$1.swift" \
        >"$folder/$1.out" 2>&1
    then
        echo "$1: does not compile, or not without a warning:"
        grep -E 'error:|^[0-9]+\.' "$folder/$1.out"
        failures=$((failures + 1))
    fi
}

accept good <<'SWIFT'
struct Good: SettingsGroup {
    @Setting var number = 0
    @Setting("key") var text: String?
    @Setting(in: 0...5) var small = 1
    @Setting(in: 1...5) var level: Int?
    @Setting("lowest", in: ..<5) var low: Int? = 3
    @Setting(.oneOf(["de", "en"])) var language: String?
    @Setting(.oneOf(["de", nil])) var other: String? = "de"
    @Setting(.matching(/[a-z]+/)) var name: String?
    @Setting(.count(1...64)) var title: String?
    @Setting(.count(1...64)) var long = "long"
    @Setting(.check("an even number") { $0.isMultiple(of: 2) }) var width: Int?
    @Setting(.check { ($0 ?? 2) > 1 }) var height: Int?
    @Setting(.range(0...), .check("short") { $0 < 100 }) var depth: Int?
    @Setting(.matching("[a-z]+")) var word = "word"
    @Setting(.matching("[a-z]+")) var optionalWord: String?
    @Setting("rank", .range(1...), .check("odd") { !$0.isMultiple(of: 2) }) var rank: Int? = 3
    @Setting(.count(8...)) var token = Secret("long enough")
    @Setting(.count(8...)) var otherToken: Secret<String>?
}
SWIFT

# What any sequence can do, within `do` and `catch`.
accept history <<'SWIFT'
func entry(by author: String, in store: SettingsStore) async -> HistoryEntry? {
    do {
        return try await store.history.entries().first { $0.author.name == author }
    } catch {
        return nil
    }
}
func count(_ store: SettingsStore) async throws -> Int {
    do {
        guard try await store.history.entries().contains(where: { $0.reason != nil }) else { return 0 }
        return try await store.history.entries().map(\.token).reduce(0) { count, _ in count + 1 }
    } catch let error as SettingsError {
        throw error
    }
}
func values(_ number: SettingReference<Int>, _ store: SettingsStore) async -> Int? {
    for await change in store.changes where change.author == "a" { return change.mutations.count }
    return await number.first { $0 > 1 }
}
SWIFT

accept sequences <<'SWIFT'
struct Frame: Codable, Sendable, Equatable {
    var width = 1.0
}
struct Page: SettingsGroup {
    @Setting var number = 0
    @Setting var frame = Frame()
}
func changes(in store: SettingsStore, of page: Page) async -> Change? {
    do {
        try await store.flush()
        guard await store.changes.contains(where: { $0.author == "a" }) else { return nil }
        for await revision in page.changes.map(\.revision) where revision == nil { return nil }
        return await store.changes.first { $0.mutations.count > 1 }
    } catch {
        return nil
    }
}
func resumed(in store: SettingsStore, of page: Page, after token: ChangeToken) async -> Bool {
    do {
        try await store.flush()
        guard await store.history.changes(after: token).contains(where: { $0.origin == .external }) else { return false }
        for await author in page.changes(after: nil).map(\.author) where author == "a" { return true }
        return await store.history.changes(after: token).first { $0.author == "a" } != nil
    } catch {
        return false
    }
}
func snapshots(of page: Page, in store: SettingsStore) async -> Int? {
    do {
        try await store.flush()
        guard await page.snapshots.contains(where: { $0.number > 1 }) else { return nil }
        for await number in page.snapshots.map(\.number) where number > 2 { return number }
        guard await page.snapshots({ $0.number }).contains(3) else { return nil }
        for await text in page.snapshots({ $0.number }).map({ "\($0)" }) where text == "4" { return 4 }
        return await page.snapshots.first { $0.frame.width > 1 }?.number
    } catch {
        return nil
    }
}
func parts(of page: Page, in store: SettingsStore) async -> Double? {
    do {
        try await store.flush()
        guard await page.$frame.width.contains(where: { $0 > 1 }) else { return nil }
        for await width in page.$frame.width.map({ $0 + 1 }) where width > 2 { return width }
        return await page.$frame.width.first { $0 > 1 }
    } catch {
        return nil
    }
}
func readOnly(_ page: Page, in store: SettingsStore) async -> Int? {
    do {
        try await store.flush()
        guard await page.$number.readOnly.contains(where: { $0 > 1 }) else { return nil }
        for await number in page.$number.readOnly.map({ $0 + 1 }) where number > 2 { return number }
        guard await page.$frame.readOnly.width.contains(where: { $0 > 1 }) else { return nil }
        return await page.$number.readOnly.first { $0 > 1 }
    } catch {
        return nil
    }
}
func values(in store: SettingsStore) async -> Int? {
    do {
        try await store.flush()
        let values = store.keys.values(forKey: "number", as: Int.self)
        guard await values.contains(where: { $0 == nil }) else { return nil }
        for await number in values.map({ $0 ?? 0 }) where number > 1 { return number }
        return await values.first { $0 == 2 } ?? nil
    } catch {
        return nil
    }
}
SWIFT

# Where the main actor is the default isolation, groups need nothing, and types of values are `nonisolated`.
flags='-default-isolation MainActor'
accept main-actor <<'SWIFT'
nonisolated struct Size: Codable, Sendable, Equatable {
    var width = 1
}
struct Frame: SettingsGroup {
    @Setting var size = Size()
    @Setting(in: 0...5) var small = 1
    let inner = Inner()
}
struct Inner: SettingsGroup {
    @Setting var title = ""
}
func use() async throws {
    let store = try await SettingsStore.open(storage: InMemoryStorage())
    let frame = try await store.group(Frame.self)
    frame.size.width += 1
    try await frame.commit { frame.inner.title = "a" }
    let draft = frame.draft()
    draft.small = 2
    try draft.apply()
    for await size in frame.$size where size == frame.snapshot().size { break }
}
SWIFT
expect main-actor-value "main actor-isolated conformance of 'Size' to 'Decodable'" <<'SWIFT'
struct Size: Codable, Sendable, Equatable {
    var width = 1
}
struct Frame: SettingsGroup {
    @Setting var size = Size()
}
SWIFT
flags=

# Words go with every way of declaring.
accept words <<'SWIFT'
struct Words: SettingsGroup {
    @Setting(title: "A") var number = 0
    @Setting("key", title: "A", help: "b", unit: "c") var text: String?
    @Setting(help: "b") var other: String?
    @Setting(in: 0...5, unit: "c") var small = 1
    @Setting(in: 1...5, title: "A") var level: Int?
    @Setting("lowest", in: ..<5, help: "b") var low: Int? = 3
    @Setting(.oneOf(["de", "en"]), title: "A") var language: String?
    @Setting(.oneOf([1, 2]), title: "A") var choice = 1
    @Setting(.matching(/[a-z]+/), title: "A") var name: String?
    @Setting(.matching(/[a-z]+/), title: "A") var long = "long"
    @Setting(.matching("[a-z]+"), title: "A") var word = "word"
    @Setting(.matching("[a-z]+"), title: "A") var optionalWord: String?
    @Setting(.count(1...64), title: "A") var title: String?
    @Setting(.count(1...64), title: "A") var list = [1]
    @Setting(.check("an even number") { $0.isMultiple(of: 2) }, title: "A") var width: Int?
    @Setting(.check { ($0 ?? 2) > 1 }, title: "A") var height: Int?
    @Setting(.check { $0 > 1 }, title: "A") var area = 2
    @Setting(.range(0...), title: "A") var depth: Int?
    @Setting(.range(0...), title: "A") var volume = 1
    @Setting(default: { 3 }, title: "A") var workers: Int
}
SWIFT

for kind in 'final class' actor; do
    expect class "A group of settings can't be a class or an actor: declare it as a struct." <<SWIFT
$kind Group: SettingsGroup {
    @Setting var number = 0
}
SWIFT
done

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

expect unsupported-type-with-words "A setting's value must be Codable (and Sendable)" <<'SWIFT'
struct Plain: Sendable {}
struct UnsupportedWithWords: SettingsGroup {
    @Setting(title: "A") var plain = Plain()
}
SWIFT

expect missing-default-with-key "A setting needs a default value: write '@Setting(…) var name = value'." <<'SWIFT'
struct MissingDefaultWithKey: SettingsGroup {
    @Setting("key") var number: Int
}
SWIFT

# Each way of giving a rule asks for a default in the same words.
for rule in 'in: 1...5' '.oneOf([1, 2])' '.check { $0 > 1 }' '.range(1...)' '"key", .range(1...)' 'title: "A"' \
    'in: 1...5, help: "a"'; do
    expect missing-default-with-rule "A setting needs a default value: write '@Setting(…) var name = value'." <<SWIFT
struct MissingDefaultWithRule: SettingsGroup {
    @Setting($rule) var number: Int
}
SWIFT
done
for rule in '.count(1...5)' '.matching(/[a-z]+/)' '.matching("[a-z]+")' '.count(1...5), title: "A"'; do
    expect missing-default-of-text "A setting needs a default value: write '@Setting(…) var name = value'." <<SWIFT
struct MissingDefaultOfText: SettingsGroup {
    @Setting($rule) var text: String
}
SWIFT
done

# A rule that does not fit the value, or is misspelt, with and without a key, for optionals too.
while IFS='|' read -r declaration message; do
    expect wrong-rule "$message" <<SWIFT
struct WrongRule: SettingsGroup {
    @Setting($declaration
}
SWIFT
done <<'LINES'
.range(0...20)) var text = "a"|The bounds of the range are not of the setting's type.
"key", .range(0...20)) var text = "a"|The bounds of the range are not of the setting's type.
.range(0...20)) var text: String?|The bounds of the range are not of the setting's type.
.range(0.5...)) var number: Int = 3|The bounds of the range are not of the setting's type.
.matching("a")) var number = 3|Only text (a String or an optional one) can match a pattern.
.matching(/a/)) var number: Int?|Only text (a String or an optional one) can match a pattern.
.count(1...3)) var number = 3|Only text and collections have a count.
.count(1...3)) var number: Int?|Only text and collections have a count.
.oneOf(["a"])) var number = 3|cannot convert value of type 'String' to expected element type 'Int'
.oneOf([1])) var text: String?|cannot convert value of type 'Int' to expected element type 'String?'
.check { $0.isMultiple(of: 2) }) var text = "a"|value of type 'String' has no member 'isMultiple'
.rnage(0...20)) var number = 3|type 'SettingRule<Int>' has no member 'rnage'
"key", .rnage(0...20)) var number = 3|type 'SettingRule<Int>' has no member 'rnage'
.count(1...), .matchign("a")) var text: String?|type 'SettingRule<String?>' has no member 'matchign'
0...20) var number = 3|cannot convert value of type 'ClosedRange<Int>' to expected argument type 'SettingRule<Int>'
LINES

# A snapshot is read in every way, and written in none.
snapshot='struct Inner: SettingsGroup {
    @Setting var count = 0
}
struct Outer: SettingsGroup {
    @Setting var title = ""
    @Setting var list = [0]
    let inner = Inner()
    var other = Inner()
    var isLong: Bool { title.count > 3 }
}'

accept snapshot-reads <<SWIFT
$snapshot
func read(_ settings: Outer) async {
    let snapshot = settings.snapshot()
    let _: String = snapshot.title
    let _: Bool = snapshot.isLong
    let _: Int = snapshot[\\.inner].count
    let _: Int = snapshot.inner.count + snapshot.other.count + snapshot.inner.\$count.value
    for await snapshot in settings.snapshots { _ = snapshot.inner.count }
}
SWIFT

while IFS='|' read -r write message; do
    expect snapshot-write "$message" <<SWIFT
$snapshot
func write(_ settings: Outer) throws {
    var snapshot = settings.snapshot()
    $write
    snapshot = settings.snapshot()
}
SWIFT
done <<'LINES'
snapshot.title = "a"|cannot assign
snapshot.list.append(1)|cannot use mutating member on immutable value
snapshot.inner.count = 1|cannot assign
snapshot.inner.count += 1|cannot assign
snapshot.other.count = 1|cannot assign
snapshot.$title.value = "a"|cannot assign
try snapshot.inner.$count.set(1)|cannot assign
try snapshot.inner.update { }|cannot assign
LINES

# An element is never taken for one that is always there.
lists='import Foundation
struct User: Codable, Sendable {
    var name = ""
    var tags: [String] = []
    var data = Data()
}
struct Lists: SettingsGroup {
    @Setting var names: [String] = []
    @Setting var numbers: [Int] = []
    @Setting var users: [User] = []
    @Setting var grid: [[Int]] = []
    @Setting var ports: [String: Int] = [:]
    @Setting var data = Data()
    @Setting var text = ""
    @Setting var user: User?
}'

accept elements <<SWIFT
$lists
func change(_ lists: Lists, _ number: Int) throws {
    try lists.\$names[0].set("x")
    lists.\$names[0].value = "x"
    lists.\$names[0].value? += "x"
    try lists.\$names[0].modify { \$0 = "x" }
    try lists.\$names[0].modify { \$0? += "x" }
    let _: SettingPart<String?> = lists.\$users[0].name
    let _: SettingPart<String?> = lists.\$users[0].tags[0]
    let _: SettingPart<Int?> = lists.\$grid[0][0]
    let _: SettingPart<Int?> = lists.\$ports["http"]
    let _: ReadOnlySetting<String?> = lists.\$users.readOnly[0].name
    let _: SettingPart<String?> = lists.\$user.tags[0]
    let _: Bool = lists.\$numbers[0].value == 1 || lists.\$numbers[0].value == Optional(number)
}
SWIFT

while IFS='|' read -r use message; do
    expect element "$message" <<SWIFT
$lists
func use(_ lists: Lists, _ number: Int) throws {
    $use
}
SWIFT
done <<'LINES'
lists.$names[0].value += "x"|An element may be missing
let _: String = lists.$names[0].value|An element may be missing
let _: String = lists.$names.readOnly[0].value|An element may be missing
let _: ReadOnlySetting<String> = lists.$names[0]|An element may be missing
let _: SettingPart<String> = lists.$names[0]|An element may be missing
try lists.$numbers[0].modify { $0 += 1 }|An element may be missing
lists.$users[0].name.value += "x"|An element may be missing
lists.$grid[0][0].value += 1|An element may be missing
lists.$data[0].value = 1|An element may be missing
lists.$users[0].data[0].value = 1|An element may be missing
_ = lists.$text[lists.text.startIndex]|An element may be missing
_ = lists.$numbers[0].value == number|An element may be missing
_ = lists.$names[0..<1]|A range of elements can't be a part
_ = lists.$names[1...]|A range of elements can't be a part
_ = lists.$users[0].tags[0..<1]|A range of elements can't be a part
let _: ReadOnlySetting<ArraySlice<String>> = lists.$names[0..<1]|A range of elements can't be a part
LINES

# A misspelt member is said to be one, without a word about key paths.
for use in '_ = lists.$numbers.vlaue' '_ = lists.$numbers.values()' 'for await _ in lists.$numbers.values() {}' \
    'try lists.$text.sett("a")' 'lists.$text.resett()' '_ = lists.$user.nmae' '_ = lists.$users[0].nmae' \
    '_ = lists.$user.name.vlaue' '_ = lists.$user.readOnly.nmae' '_ = lists.$text.readOnly.values()'; do
    expect misspelt "Neither this setting nor its value has such a (Sendable) member" <<SWIFT
$lists
func use(_ lists: Lists) async throws {
    $use
}
SWIFT
done
expect misspelt-assignment "NoSuchMember" <<SWIFT
$lists
func use(_ lists: Lists) {
    lists.\$numbers.vlaue = 3
}
SWIFT

[ "$failures" -eq 0 ] && echo "The compiler's messages are as they should be."
exit "$failures"
