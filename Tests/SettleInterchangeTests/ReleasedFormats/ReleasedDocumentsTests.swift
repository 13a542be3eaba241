import Foundation
import Settle
import SettleInterchange
import SettleTestSupport
import SettleTesting
import Testing

/// Archives, schemas and exports that released versions have written are read.
@Suite(.timeLimit(.minutes(10))) struct ReleasedDocumentsTests {
    private static let area = "documents"
    private static let fixtures = FormatFixture.all(area)

    @Test("The documents of all released versions are there, as they were written") func present() throws {
        #expect(try FormatFixture.differences(Self.area) == [])
        for version in FormatFixture.versions() {
            let names = Self.fixtures.filter { $0.version == version }.map(\.name)
            #expect(Set(names).isSuperset(of: ["archive", "schema", "export"]), "\(version)")
        }
    }

    @Test("They are read to what the released version found in them", arguments: fixtures)
    func found(_ fixture: FormatFixture) async throws {
        var files: [String: Data] = [:]
        for name in try fixture.names() { files[name] = try fixture.bytes(of: name) }
        let found = try await Self.observed(files).reread()
        #expect(try found == fixture.expected(), "\(found.jsonText)")
    }

    /// The findings in some documents, by their names.
    private static func observed(_ files: [String: Data]) async throws -> SettingTree {
        var found = SettingTree()
        for (name, data) in files {
            if name.hasPrefix("archive.") {
                found.root[name] = typed(try KeyedArchive(data))
            } else if name.hasSuffix(schemaSuffix) {
                found.root[name] = try checks(of: data)
            } else {
                found.root[name] = try await imported(data)
            }
        }
        return found
    }

    // MARK: Archives

    private static let archive: KeyedArchive = {
        let address = ArchivedValue.object(ArchivedObject(className: "Address", fields: ["city": .string("Zürich")]))
        let long = ArchivedValue.number("16645372298840277980283706561650")
        let fields: ArchivedFields = [
            "name": .string("Zoë \u{1F511}"), "age": .integer(-5), "isAdmin": .bool(true), "ratio": .real(0.1),
            "key": .data(Data([0, 127, 255])), "born": .date(Date(timeIntervalSinceReferenceDate: 700_000_000)),
            "page": .url("b", base: "https://example.com/a/"),
            "id": .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))),
            "list": .array([.string("x", isMutable: true), .null, .set([.integer(1)]), long], isMutable: true),
            "table": .dictionary([ArchivedEntry(key: .string("k"), value: .orderedSet([.string("v")]))]),
            "home": .reference(0), "work": .reference(0),
        ]
        let person = ArchivedObject(className: "Person", superclasses: ["Base", "NSObject"], fields: fields)
        return KeyedArchive(root: .object(person), sharedObjects: [address])
    }()

    private static func typed(_ archive: KeyedArchive) -> SettingValue {
        .dictionary([
            "top": typed(archive.top), "shared": .array(archive.sharedObjects.map { typed($0) }),
        ])
    }

    private static func typed(_ fields: ArchivedFields) -> SettingValue {
        .array(
            fields.all.map { field in
                SettingValue.array([.string(field.key), typed(field.value), .bool(field.isPrimitive)])
            })
    }

    private static func typed(_ value: ArchivedValue) -> SettingValue {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let number): .integer(number)
        case .real(let number): SettingValue.real(number).typed
        case .number(let literal): SettingValue.number(literal).typed
        case .string(let text, let isMutable): .array([.string("string"), .string(text), .bool(isMutable)])
        case .data(let data, let isMutable): .array([.string("data"), SettingValue.data(data).typed, .bool(isMutable)])
        case .date(let date): SettingValue.date(date).typed
        case .url(let text, let base): .array([.string("url"), .string(text), .text(base)])
        case .uuid(let id): .array([.string("uuid"), .string(id.uuidString)])
        case .array(let values, let isMutable): collection("array", values, isMutable)
        case .set(let values, let isMutable): collection("set", values, isMutable)
        case .orderedSet(let values, let isMutable): collection("orderedSet", values, isMutable)
        case .dictionary(let entries, let isMutable):
            collection("dictionary", entries.flatMap { [$0.key, $0.value] }, isMutable)
        case .object(let object):
            .array([
                .string("object"), .string(object.className), .array(object.superclasses.map { .string($0) }),
                typed(object.fields),
            ])
        case .reference(let index): .array([.string("reference"), .integer(Int64(index))])
        }
    }

    private static func collection(_ kind: String, _ values: [ArchivedValue], _ isMutable: Bool) -> SettingValue {
        .array([.string(kind), .array(values.map { typed($0) }), .bool(isMutable)])
    }

    // MARK: Schemas

    private struct Service: SettingsGroup {
        @Setting(in: 1...65_535, title: "Port", help: "Where it listens.", unit: "TCP") var port = 8080
        @Setting(.oneOf(["de", "en"])) var language = "de"
        @Setting(.matching("[a-z]+")) var name = "a"
        @Setting(.count(...2)) var tags: [String] = []
        @Setting var token: Secret<String>?
        @Setting var when: Date?
    }

    private static let schemaSuffix = ".schema.json"

    /// Values, some of which the schema refuses.
    private static let probes: [(key: String, value: SettingValue)] = [
        ("port", .integer(80)), ("port", .integer(0)), ("port", .string("80")), ("language", .string("en")),
        ("language", .string("fr")), ("name", .string("b")), ("name", .string("B")),
        ("tags", .array([.string("a"), .string("b")])), ("tags", .array([.null])), ("token", .string("hush")),
        ("unknown", .integer(1)),
    ]

    private static func checks(of data: Data) throws -> SettingValue {
        let json = try SettingValue(json: data)
        let schema = try StoredSchema(json)
        let refused = probes.map { key, value in
            let problems = schema.problems(with: [SettingKey(stored: key): value], over: SettingTree())
            return SettingValue.bool(!problems.isEmpty)
        }
        let settings = DeclaredSettings(jsonSchema: json).all.map { setting in
            SettingValue.array([
                .string(setting.key.description), .text(setting.type), .text(setting.title), .text(setting.unit),
                setting.defaultValue?.typed ?? .null, .bool(schema.isSecret(setting.key)),
            ])
        }
        return .dictionary(["refused": .array(refused), "settings": .array(settings)])
    }

    // MARK: Exports

    private static let stored = SettingTree([
        "flag": .bool(true), "count": .integer(-5), "ratio": .real(0.1), "text": .string("ü\n“x” 😀"),
        "when": .date(Date(timeIntervalSinceReferenceDate: 700_000_000)), "bytes": .data(Data([0, 127, 255])),
        "list": .array([.integer(1), .string("b"), .array([])]),
        "group": .dictionary(["inner": .dictionary(["deep": .bool(false)])]),
    ])

    private static func imported(_ data: Data) async throws -> SettingValue {
        let store = try await SettingsStore.open(storage: InMemoryStorage(), configuration: .init(clock: ManualClock()))
        try store.file.import(data)
        let values = SettingValue.dictionary(store.keys.effectiveValues.root).typed
        try await store.close()
        return values
    }

    // MARK: Writing

    @Test("A new version writes its documents", .enabled(if: FormatFixture.target != nil))
    func writeFixtures() async throws {
        try FormatFixture.beginWriting(Self.area)
        let archives = ["archive.bin": try Self.archive.data(), "archive.xml": try Self.archive.data(as: .xml)]
        for data in archives.values { #expect(try KeyedArchive(data) == Self.archive) }
        let found = try await Self.observed(archives)
        try FormatFixture.write("archive", in: Self.area, archives, expected: found)
        try await writeSchema()
        try await writeExports()
        try FormatFixture.endWriting(Self.area)
    }

    private func writeSchema() async throws {
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(at: folder.url.appending(path: "settings.json"))
        let service = try await store.group(Service.self)
        let schema = try await store.file.writeSchema()
        withExtendedLifetime(service) {}
        let files = [schema.lastPathComponent: try Data(contentsOf: schema)]
        try await store.close()
        let found = try await Self.observed(files)
        try FormatFixture.write("schema", in: Self.area, files, expected: found)
    }

    private func writeExports() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(Self.stored), configuration: .init(clock: ManualClock()))
        let files = [
            "export.json": try await store.file.export(as: .json),
            "export.xml": try await store.file.export(as: .propertyListXML),
            "export.bin": try await store.file.export(as: .propertyListBinary),
        ]
        try await store.close()
        let found = try await Self.observed(files)
        for name in ["export.xml", "export.bin"] {
            #expect(found.root[name] == SettingValue.dictionary(Self.stored.root).typed, "\(found.jsonText)")
        }
        try FormatFixture.write("export", in: Self.area, files, expected: found)
    }
}
