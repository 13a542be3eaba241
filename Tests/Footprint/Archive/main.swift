import FoundationEssentials
import Settle

/// Values that have spellings of their own, each from another file of the library.
struct Values: SettingsGroup {
    @Setting var date = Date(timeIntervalSinceReferenceDate: 0)
    @Setting var data = Data()
    @Setting var url: URL?
    @Setting var id: UUID?
    @Setting var duration = Duration.zero
    @Setting var number: Int8?
    @Setting var names: Set<String> = []
    @Setting var secret = Secret("")
}

let storage = InMemoryStorage()
let store = try await SettingsStore.open(storage: storage)
let values = try await store.group(Values.self)
try await values.commit {
    values.date = Date(timeIntervalSinceReferenceDate: 86_400)
    values.data = Data([1])
    values.url = URL(string: "https://example.org")
    values.id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    values.duration = .milliseconds(250)
    values.number = 1
    values.names = ["b", "a"]
    values.secret = Secret("s")
}
let expected: [String: SettingValue] = [
    "date": .date(Date(timeIntervalSinceReferenceDate: 86_400)), "data": .data(Data([1])),
    "url": .string("https://example.org"), "id": .string("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
    "duration": .string("0.25s"), "number": .integer(1), "names": .array([.string("a"), .string("b")]),
    "secret": .string("s"),
]
let stored = try storage.load().tree.root
for (name, value) in expected where stored[name] != value {
    print("“\(name)” is stored as \(stored[name] ?? .null)")
}

// What is printed comes from conformances of their own files, too; without them a store would be traversed.
var dumped = ""
dump(store, to: &dumped)
for text in ["\(store)", "\(values)", "\(values.$secret)", dumped] where text.contains("\"s\"") || text.count > 1_000 {
    print("A description without its conformance: \(text.prefix(200))")
}
if !"\(store)".hasPrefix("SettingsStore(revision: 1") { print("The store is described as \(store)") }
if "\(values.$number)" != "number: 1" { print("A setting is described as \(values.$number)") }
