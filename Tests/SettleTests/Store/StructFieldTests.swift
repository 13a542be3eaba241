import Settle
import SettleTesting
import Testing

private struct Window: Codable, Sendable, Equatable {
    struct Size: Codable, Sendable, Equatable {
        var width = 80
        var height = 24
    }

    var title = "Untitled"
    var size = Size()
    var note: String? = "by default"
    var tabs: [Size] = []
    var panes: [String: Size] = ["left": Size(width: 1, height: 1)]
}

private enum Shape: Codable, Sendable, Equatable {
    case circle(radius: Int, width: Int), none
}

/// Reads whichever form fits.
private enum Address: Codable, Sendable, Equatable {
    struct Street: Codable, Sendable, Equatable { var street = "", number = 1 }
    struct Box: Codable, Sendable, Equatable { var box: Int }

    case street(Street), box(Box)

    init(from decoder: any Decoder) throws {
        if let street = try? Street(from: decoder) {
            self = .street(street)
        } else {
            self = .box(try Box(from: decoder))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .street(let street): try street.encode(to: encoder)
        case .box(let box): try box.encode(to: encoder)
        }
    }
}

private struct Settings: SettingsGroup {
    @Setting var window = Window(size: Window.Size(width: 100, height: 50))
    @Setting var optional: Window?
    @Setting var shape = Shape.circle(radius: 1, width: 2)
    @Setting var address = Address.street(Address.Street(street: "Main", number: 7))
    @Setting var windows: [String: Window] = [:]
}

/// The fields of stored structs that are missing, and those that are unknown.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct StructFieldTests {
    private typealias Size = Window.Size

    private func open(_ json: String) async throws -> (InMemoryStorage, SettingsStore, Settings) {
        let storage = InMemoryStorage(try FileFormat.json.decode([UInt8](json.utf8)))
        let store = try await SettingsStore.open(storage: storage)
        return (storage, store, try await store.group(Settings.self))
    }

    private func value(_ json: String) throws -> SettingValue {
        try #require(try FileFormat.json.decode([UInt8]("{\"value\": \(json)}".utf8))["value"])
    }

    private func size(_ width: Int, _ more: String = "") -> String { #"{"width": \#(width), "height": 9\#(more)}"# }

    private func window(_ title: String, _ more: String = "", size: String = #"{"width": 1, "height": 9}"#) -> String {
        #"{"title": "\#(title)", "size": \#(size), "tabs": [], "panes": {}\#(more)}"#
    }

    // MARK: Missing fields

    @Test("A field that is missing comes from the setting's default, in nested structs too")
    func missing() async throws {
        let (_, store, settings) = try await open(#"{"window": {"title": "Mine", "size": {"height": 9}}}"#)
        #expect(settings.window.title == "Mine" && settings.window.size == Size(width: 100, height: 9))
        #expect(settings.window.panes == Window().panes && settings.$window.domains.origin == .loaded)
        try await store.close()
        for await issue in store.issues { Issue.record("unexpected issue \(issue)") }
    }

    @Test("A missing optional is nil, which is how nil is stored, whatever the default has")
    func missingOptional() async throws {
        let (storage, store, settings) = try await open("{}")
        settings.window.note = nil
        try await store.close()
        let again = try await SettingsStore.open(storage: InMemoryStorage(storage.tree))
        #expect(try await again.group(Settings.self).window.note == nil)
        let (_, third, shorter) = try await open(#"{"window": {"title": "Mine"}}"#)
        #expect(shorter.window.note == nil && shorter.window.title == "Mine")
        try await again.close()
        try await third.close()
    }

    @Test("A field of the wrong type makes the whole value unusable, as before")
    func wrongType() async throws {
        let (_, store, settings) = try await open(#"{"window": {"title": 5}}"#)
        #expect(settings.window == Window(size: Size(width: 100, height: 50)))
        let issues = ChangeRecorder(store.issues)
        #expect(await issues.until { $0.count == 1 }.first?.key == "window")
        try await store.close()
    }

    @Test("A dictionary's entries, and what has no default, get no fields")
    func noDefault() async throws {
        let json = #"{"window": {"panes": {"left": {"width": 3}}}, "optional": {"title": "Mine"}}"#
        let (_, store, settings) = try await open(json)
        #expect(settings.window.panes == Window().panes && settings.optional == nil)
        let issues = ChangeRecorder(store.issues)
        #expect(await issues.until { $0.count == 2 }.map(\.key) == ["window", "optional"])
        try await store.close()
    }

    @Test("An enum's case takes missing fields from a default of the same case only")
    func enumeration() async throws {
        let (_, store, settings) = try await open(#"{"shape": {"circle": {"radius": 5}}}"#)
        #expect(settings.shape == .circle(radius: 5, width: 2))
        try await store.close()
    }

    @Test("A default makes no form complete while another form fits as it is")
    func alternatives() async throws {
        let (_, store, settings) = try await open(#"{"address": {"box": 12}}"#)
        #expect(settings.address == .box(Address.Box(box: 12)))
        try await store.close()
    }

    // MARK: Unknown fields

    @Test("Fields that the type does not know are stored again with every write")
    func unknown() async throws {
        let stored = window("Mine", #", "color": "red""#, size: size(9, #", "depth": 3"#))
        let (storage, store, settings) = try await open(#"{"window": \#(stored)}"#)
        settings.window.title = "Yours"
        try await store.flush()
        settings.window.size.width = 10
        try await store.flush()
        let expected = window("Yours", #", "color": "red""#, size: size(10, #", "depth": 3"#))
        #expect(storage.tree["window"] == (try value(expected)))
        try await store.close()
    }

    @Test("An entry removed from a dictionary stays removed, and the others keep their unknown fields")
    func dictionaries() async throws {
        let panes = #", "panes": {"x": \#(size(1, #", "z": 1"#)), "y": \#(size(2))}"#
        let one = #"{"title": "a", "size": \#(size(1)), "tabs": []\#(panes)}"#
        let (storage, store, settings) = try await open(
            #"{"window": \#(one), "windows": {"one": \#(one), "two": \#(one)}}"#)
        settings.windows["one"] = nil
        settings.windows["two"]?.title = "new"
        settings.window.panes["x"]?.width = 5
        settings.window.panes["y"] = nil
        try await store.flush()
        #expect(storage.tree["windows.one"] == nil && storage.tree["windows.two.panes.x.z"] == .integer(1))
        #expect(storage.tree["window.panes"] == (try value(#"{"x": \#(size(5, #", "z": 1"#))}"#)))
        settings.window.panes["x"] = nil
        try await store.flush()
        settings.window.panes["x"] = Size(width: 6, height: 9)
        try await store.flush()
        #expect(storage.tree["window.panes"] == (try value(#"{"x": \#(size(6))}"#)))
        try await store.close()
    }

    @Test("The elements of a list keep their unknown fields while they stay as they are, wherever they stand")
    func lists() async throws {
        let last = [size(2), size(3, #", "c": 3"#), size(1, #", "d": 4"#)]
        let tabs = ([size(1, #", "a": 1"#)] + last).joined(separator: ", ")
        let (storage, store, settings) = try await open(
            #"{"window": {"title": "a", "size": \#(size(1)), "tabs": [\#(tabs)], "panes": {}}}"#)
        settings.window.tabs.removeFirst()
        settings.window.tabs.insert(Size(width: 7, height: 9), at: 0)
        settings.window.tabs.append(Size(width: 8, height: 9))
        try await store.flush()
        let expected = ([size(7)] + last + [size(8)]).joined(separator: ", ")
        #expect(storage.tree["window.tabs"] == (try value("[\(expected)]")))
        try await store.close()
    }

    @Test("A reset, and another value from outside, forget the unknown fields of the value before")
    func forgotten() async throws {
        let (storage, store, settings) = try await open(#"{"window": \#(window("Mine", #", "color": 1"#))}"#)
        let changed = SettingTree(["window": try value(window("Mine", #", "shade": 1"#, size: size(9)))])
        storage.simulateExternalChange(changed)
        try await store.flush()
        settings.window.title = "Changed"
        try await store.flush()
        #expect(storage.tree["window.color"] == nil && storage.tree["window.shade"] == .integer(1))
        try settings.$window.reset()
        settings.window.title = "Yours"
        try await store.flush()
        #expect(storage.tree["window.shade"] == nil && storage.tree["window.title"] == .string("Yours"))
        try await store.close()
    }

    @Test("A write by key decides the unknown fields, and an undone one leaves them")
    func byKey() async throws {
        struct Undo: Error {}
        let (storage, store, settings) = try await open(#"{"window": \#(window("a", #", "color": 1"#))}"#)
        try? settings.update {
            try store.keys.setValue(try value(window("b")), forKey: "window")
            throw Undo()
        }
        settings.window.title = "c"
        try await store.flush()
        #expect(storage.tree["window.color"] == .integer(1))
        try store.keys.setValue(try value(window("d", #", "shade": 1"#)), forKey: "window")
        settings.window.title = "e"
        try await store.flush()
        #expect(storage.tree["window.color"] == nil && storage.tree["window.shade"] == .integer(1))
        try await store.close()
    }
}
