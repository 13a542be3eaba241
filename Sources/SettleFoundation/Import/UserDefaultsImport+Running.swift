import Foundation
public import Settle
import SettleInterchange

extension UserDefaultsImport {
    /// Imports, once or always.
    ///
    /// - Parameters:
    ///   - store: A store with all groups open that declare imported settings.
    ///   - author: The name for `Change.author`.
    /// - Returns: The result for each key.
    /// - Throws: `SettingsError` if the store can't be locked or saved, and the errors of the file's reader. Nothing
    ///   has been taken or remembered then. After a failed sync the values stay, as after every commit.
    @discardableResult
    public func run(into store: SettingsStore, author: String? = "UserDefaults") async throws -> Report {
        guard let domain = try read(), !(domain.entries.isEmpty && domain.refused.isEmpty) else { return Report() }
        return try await store.commit(author: author) {
            let mark = SettingKey.path(Self.memory, name)
            if frequency == .once, try store.keys.value(forKey: mark, as: SettingValue.self) != nil {
                return Report(isRepeated: true)
            }
            var run = ImportRun(store: store, others: others)
            for (name, value) in domain.entries.sorted(by: { $0.key < $1.key }) { run.take(name, value, targets[name]) }
            for name in domain.refused {
                run.report.left.append(Report.Entry(name: name, reason: "A property list cannot store its value."))
            }
            if frequency == .once { try store.keys.setValue(SettingValue.date(Date()), forKey: mark, author: author) }
            return run.report
        }
    }
}

/// One run of an import, inside its transaction.
private struct ImportRun {
    typealias Entry = UserDefaultsImport.Report.Entry

    let store: SettingsStore
    let others: UserDefaultsImport.Others
    var report = UserDefaultsImport.Report()

    mutating func take(_ name: String, _ value: SettingValue, _ target: UserDefaultsImport.Target?) {
        switch target ?? usualTarget(of: name) {
        case .key(let key): set(value, name, key)
        case .spelled(let spelling, let key): set(value, spelling, name, key)
        case .archive(let mapping, let key): unpack(value, mapping, name, key)
        case .ignored: leave(name, nil, "It was not asked for.")
        }
    }

    private func usualTarget(of name: String) -> UserDefaultsImport.Target {
        switch others {
        case .left: .ignored
        case .taken: .key(.path(name))
        case .declared(let path):
            // A name may have dots.
            store.keys.setting(forKey: path.map { "\($0).\(name)" } ?? name).flatMap { SettingKey($0.key) }
                .map { .key($0) } ?? .ignored
        }
    }

    private mutating func set(_ value: SettingValue, _ name: String, _ key: SettingKey, _ reason: String = "") {
        let text = key.description
        let setting = store.keys.setting(forKey: text)
        let converted = setting.flatMap { value.converted(to: $0.shape) }.flatMap { $0 == value ? nil : $0 }
        // A path is a URL, too, but not that of the file.
        if setting?.shape.kind == .url, let converted { return set(converted, "a URL", from: value, name, key) }
        do {
            try store.keys.setValue(value, forKey: key)
            report.add(Entry(name: name, key: text, reason: reason))
        } catch {
            if let converted {
                set(converted, converted.kindName, from: value, name, key)
            } else if setting == nil, case .dictionary(let entries) = value, hasSettings(within: key) {
                set(entries, name, key, reason)
            } else {
                leave(name, text, "\(error)")
            }
        }
    }

    private mutating func set(
        _ converted: SettingValue, _ kind: String, from value: SettingValue, _ name: String, _ key: SettingKey
    ) {
        do {
            try store.keys.setValue(converted, forKey: key)
            let words = "\(value.kindName) became \(kind)."
            report.add(
                Entry(name: name, key: key.description, reason: words.prefix(1).uppercased() + words.dropFirst()))
        } catch {
            leave(name, key.description, "\(error)")
        }
    }

    private mutating func set(_ entries: SettingValue.Entries, _ name: String, _ key: SettingKey?, _ reason: String) {
        for (inner, value) in entries.sorted(by: { $0.key < $1.key }) {
            set(value, "\(name).\(inner)", key?.appending(component: inner) ?? .path(inner), reason)
        }
    }

    private mutating func set(
        _ value: SettingValue, _ spelling: ArchiveMapping.Value, _ name: String, _ key: SettingKey
    ) {
        do {
            if let read = try spelling.read(value) {
                set(read, name, key, read == value ? "" : "It is spelled differently.")
            } else {
                try store.keys.removeValue(forKey: key)
                report.add(Entry(name: name, key: key.description, reason: "It does not stand for a value."))
            }
        } catch {
            leave(name, key.description, "\(error)")
        }
    }

    private mutating func unpack(_ value: SettingValue, _ mapping: ArchiveMapping, _ name: String, _ key: SettingKey?) {
        guard case .data(let data) = value else {
            return leave(name, key?.description, "It is \(value.kindName) instead of an archive.")
        }
        do {
            let contents = try KeyedArchive(data).contents(mapping)
            for finding in contents.findings { leave("\(name).\(finding.path)", nil, finding.reason) }
            if case .dictionary(let entries) = contents.value {
                set(entries, name, key, "It was in an archive.")
            } else if let key {
                set(contents.value, name, key, "It was in an archive.")
            }
        } catch {
            leave(name, key?.description, "\(error)")
        }
    }

    private func hasSettings(within key: SettingKey) -> Bool {
        // By their declared keys: the file may have a setting under a name with dots.
        store.settings.contains { SettingKey(stored: $0.declaredKey).isWithin(key) }
    }

    private mutating func leave(_ name: String, _ key: String?, _ reason: String) {
        report.left.append(Entry(name: name, key: key, reason: reason))
    }
}

extension UserDefaultsImport.Report {
    fileprivate mutating func add(_ entry: Entry) {
        if entry.reason.isEmpty { taken.append(entry) } else { converted.append(entry) }
    }
}
