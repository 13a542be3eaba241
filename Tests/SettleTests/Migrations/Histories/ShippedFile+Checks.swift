import SettleTesting

@testable import Settle

extension ShippedFile {
    static let recordKey: SettingKey = "$settle.migrations"

    /// All spellings of a key that settings find.
    static func spellings(of key: String) -> [SettingKey] {
        let names = key.split(separator: ".").map(String.init)
        return names.indices.map { SettingKey(names: names[..<$0] + [names[$0...].joined(separator: ".")]) }
    }

    /// Checks what is stored.
    func check(_ tree: SettingTree) throws {
        let found = try Self.values(in: tree)
        guard found == values else { throw Unexpected(description: "The file has \(found) instead of \(values).") }
        let names = try Self.names(in: tree)
        guard names == recorded.map(\.name) else {
            throw Unexpected(description: "The file records \(names) instead of \(recorded.map(\.name)).")
        }
    }

    /// Somebody deletes the name of a step, so that it runs again, or the file is from a version of the library that
    /// put types into the names.
    ///
    /// - Returns: The new record; `nil` if nothing is changed.
    mutating func editRecord(by app: inout ShippedApp, log: inout HistoryLog) -> SettingValue? {
        guard !recorded.isEmpty else { return nil }
        let index = app.below(recorded.count)
        let name = recorded[index].name
        let old = app.steps[recorded[index].id].oldSpelling
        if let old, app.below(4) > 0 {
            recorded[index].name = old
            log.note("“\(name)” is recorded as “\(old)”")
        } else {
            recorded.remove(at: index)
            log.note("somebody deletes “\(name)” from the record")
        }
        return .array(recorded.map { .string($0.name) })
    }
}

extension ShippedFile.Opening {
    /// Checks an opening that has not failed.
    ///
    /// - Parameter step: The step that the version does not know, as found.
    func check(isOlderBecauseOf step: String?) throws {
        switch self {
        case .current where step == nil: return
        case .older(let expected) where step == expected: return
        default: throw ShippedFile.Unexpected(description: "It opens, with the unknown step \(step ?? "none").")
        }
    }

    /// Checks the error of an opening.
    func check(_ error: String, key found: String?) throws {
        switch self {
        case .refused(let step) where error.contains("“\(step)”") && found == nil: return
        case .failed(let step, let key) where error.contains("“\(step)”") && found == key: return
        default: throw ShippedFile.Unexpected(description: "It fails: \(error)")
        }
    }
}
