import SettleTesting
import Testing

@testable import Settle

extension SearchListHistory {
    /// A write within a transaction.
    enum Write {
        case assign(HistoryKey, SettingValue)
        case change(HistoryKey)
        case reset(HistoryKey)

        var key: HistoryKey {
            switch self {
            case .assign(let key, _), .change(let key), .reset(let key): key
            }
        }
    }

    func step() async throws {
        switch Int.random(in: 0..<(home is DiskHome ? 29 : 23), using: &random) {
        case 0...2: try write()
        case 3, 4: try update()
        case 5: try writeByKey()
        case 6: try removeByKey()
        case 7: try reset()
        case 8, 9: try override()
        case 10: try endOverride()
        case 11: try register()
        case 12: try registerLanguage()
        case 13...15: try await replace()
        case 16: try await toggleSuite()
        case 17: try await toggleLateGroup()
        case 18, 19: try await changeOutside()
        case 20: try await flush()
        case 21: try await restart()
        case 22: try draft()
        case 23, 24: try await replace()
        case 25: try await damage()
        case 26: try draft()
        case 27: try await kill()
        default: try await migrate()
        }
    }

    func someKey() -> HistoryKey { settings.keys.sorted().randomElement(using: &random) ?? .count }

    private func someWrite() -> Write {
        let key = someKey()
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: return .change(key)
        case 2: return .reset(key)
        default:
            let breaks = (key == .count || key == .size) && Int.random(in: 0..<5, using: &random) == 0
            let value = breaks ? .integer(10) : key.good(&random)
            return isOpen(value, key) ? .change(key) : .assign(key, value)
        }
    }

    /// Whether the ways to write differ: an assignment of the default does not pin it where other domains have only
    /// values that can't be used, and a write by key does.
    func isOpen(_ value: SettingValue, _ key: HistoryKey) -> Bool {
        value == key.standard && model.isLayered(key) && model.answer(key, before: nil).domain == .declaration
    }

    // MARK: Writing

    private func perform(_ write: Write) throws {
        switch write {
        case .assign(let key, let value): settings[key]?.assign(value)
        case .change(let key): settings[key]?.change()
        case .reset(let key): try settings[key]?.reset()
        }
    }

    /// What a write makes of the application's value; `nil` if it is refused.
    private func outcome(_ write: Write, _ own: SettingValue?) -> SettingValue?? {
        guard !model.isLocked(write.key) else { return nil }
        var value: SettingValue?
        switch write {
        case .assign(_, let new): value = new
        case .change(let key): value = key.changed(own ?? fallback(key))
        case .reset: return .some(nil)
        }
        return value.flatMap { write.key.accepts($0) ? .some($0) : nil }
    }

    /// What the domains below the application's give.
    private func fallback(_ key: HistoryKey) -> SettingValue {
        var list = model
        list[.application][key] = nil
        return list.ownAndBelow(key)
    }

    func keep(_ value: SettingValue?, _ key: HistoryKey) {
        if let value { write(value, key) } else { remove(key) }
    }

    func write() throws {
        let write = someWrite()
        notes.append("\(write)")
        let outcome = outcome(write, model[.application][write.key])
        if case .reset = write, outcome == nil {
            #expect(throws: SettingsError.self) { try perform(write) }
        } else {
            try perform(write)
        }
        if let outcome { keep(outcome, write.key) }
        try check(.application, { if case .reset = write { .reset } else { .local } }())
    }

    private func update() throws {
        let writes = (0..<3).map { _ in someWrite() }
        let inner = (0..<2).map { _ in someWrite() }
        let (throwsInside, throwsAtEnd) = (Bool.random(using: &random), Int.random(in: 0..<4, using: &random) == 0)
        notes.append("update \(writes), within \(inner) \(throwsInside) \(throwsAtEnd)")
        var staged: [HistoryKey: SettingValue?] = [:]
        func stage(_ write: Write) -> Bool {
            guard let value = outcome(write, staged[write.key] ?? model[.application][write.key]) else { return false }
            staged.updateValue(value, forKey: write.key)
            return true
        }
        var succeeds = stage(writes[0])
        let before = staged
        let innerSucceeds = inner.reduce(true) { stage($1) && $0 } && !throwsInside
        if !innerSucceeds { staged = before }
        for write in writes[1...] where !stage(write) { succeeds = false }
        if throwsAtEnd { succeeds = false }
        let error = thrown {
            try store.update {
                try perform(writes[0])
                let innerError = thrown {
                    try store.update {
                        for write in inner { try perform(write) }
                        if throwsInside { throw TestFailure() }
                    }
                }
                try #require((innerError == nil) == innerSucceeds, "\(notes)")
                for write in writes[1...] { try perform(write) }
                if throwsAtEnd { throw TestFailure() }
            }
        }
        try #require((error == nil) == succeeds, "\(String(describing: error)) \(notes)")
        if succeeds { for (key, value) in staged { keep(value, key) } }
        try check()
    }

    private func writeByKey() throws {
        let key = someKey()
        let value = key.any(&random)
        guard !isOpen(value, key) else { return }
        notes.append("set \(key) \(value) by key")
        let isRefused = model.isLocked(key) || key.isOwned || !key.accepts(value)
        let error = thrown { try store.keys.setValue(value, forKey: key.rawValue) }
        try #require((error != nil) == isRefused, "\(String(describing: error)) \(notes)")
        if !isRefused { write(value, key) }
        try check(.application, .local)
    }

    private func removeByKey() throws {
        let key = someKey()
        notes.append("remove \(key) by key")
        let isRefused = model.isLocked(key) || key.isOwned
        let error = thrown { try store.keys.removeValue(forKey: key.rawValue) }
        try #require((error != nil) == isRefused, "\(String(describing: error)) \(notes)")
        if !isRefused { remove(key) }
        try check(.application, .reset)
    }

    private func reset() throws {
        notes.append("reset")
        try store.reset()
        for key in settings.keys where !key.isOwned && !model.isLocked(key) { remove(key) }
        try check(.application, .reset)
    }

    // MARK: Other domains

    private func override() throws {
        let key = someKey()
        // Nothing may cover the fence, which tells when an external change has arrived.
        guard key != .fence else { return }
        let breaks = key == .count && Bool.random(using: &random)
        let value = breaks ? .integer(10) : key.good(&random)
        notes.append("override \(key) \(value)")
        let token = try? settings[key]?.override(store, value)
        try #require((token == nil) == (breaks || key.isOwned), "\(notes)")
        if let token { overrides.append((token, key, value)) }
        try checkOverrides()
    }

    private func endOverride() throws {
        guard let index = overrides.indices.randomElement(using: &random) else { return }
        notes.append("end override \(overrides[index].key) \(overrides[index].value)")
        if Bool.random(using: &random) { overrides[index].token.cancel() }
        // Releases it.
        overrides.remove(at: index)
        try checkOverrides()
    }

    private func checkOverrides() throws {
        model[.overrides] = overrides.reduce(into: [:]) { $0[$1.key] = $1.value }
        try check(.overrides, .override)
    }

    private func register() throws {
        let values = someValues()
        notes.append("register \(values)")
        try store.domains.register(Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) }))
        model[.registration].merge(values) { $1 }
        try check(.registration, .registration)
    }

    private func registerLanguage() throws {
        let (values, language) = (someValues(), ["pt", "de", "fr"].randomElement(using: &random) ?? "de")
        notes.append("register \(language) \(values)")
        try store.domains.register(
            Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) }), language: language)
        registered[language, default: [:]].merge(values) { $1 }
        model[.language] = Self.languages.reversed().reduce(into: [:]) { list, language in
            list.merge(registered[language] ?? [:]) { $1 }
        }
        try check(.language, .language)
    }

    private func replace() async throws {
        let names = model.layers.map(\.name).filter {
            ["high", "low", .managed].contains($0) || $0.description.hasPrefix("suite")
        }
        let name = names.randomElement(using: &random) ?? "low"
        let values = someValues()
        notes.append("replace \(name) \(values)")
        try await home.replace(name, by: tree(of: values), in: store)
        model[name] = values
        try check(name)
    }

    private func toggleSuite() async throws {
        let name = DomainName.suite(["one", "two"].randomElement(using: &random) ?? "one")
        if store.core.domains[name] == nil {
            let values = someValues()
            notes.append("add \(name) \(values)")
            let identity = DomainIdentity(name, .suite, isAbove: false, isVolatile: false)
            let source = try home.source(of: name, values.tree)
            try await store.core.addSuite((AttachedDomain(identity, source: source), Result(loading: source)))
            let last = model.layers.lastIndex { $0.name == .application || $0.name.description.hasPrefix("suite") }
            model.layers.insert(.init(name: name, values: values), at: (last ?? 0) + 1)
        } else {
            notes.append("remove \(name)")
            try await store.domains.removeSuite(String(name.description.dropFirst("suite ".count)))
            model.layers.removeAll { $0.name == name }
        }
        try check(name, .suite)
    }

    // MARK: The store

    private func toggleLateGroup() async throws {
        notes.append(settings[.size] == nil ? "open late" : "release late")
        try await toggleLate()
        try check()
    }

    private func changeOutside() async throws {
        try await flush()
        var values: [HistoryKey: SettingValue?] = [:]
        for key in HistoryKey.allCases where key != .fence && Int.random(in: 0..<3, using: &random) == 0 {
            // A file keeps the last good value also for a group that is opened later.
            let value = home is DiskHome && settings[key] == nil ? key.good(&random) : key.any(&random)
            values.updateValue(Int.random(in: 0..<3, using: &random) == 0 ? nil : value, forKey: key)
        }
        let fence = Int64(1_000 + notes.count)
        values[.fence] = .integer(fence)
        notes.append("outside \(values)")
        let edit = Dictionary(uniqueKeysWithValues: values.map { ($0.key.key, $0.value) })
        if Int.random(in: 0..<3, using: &random) == 0, let disk = home as? DiskHome {
            notes.append("damaged at first")
            try disk.change(edit) { try check() }
        } else {
            try home.change(edit)
        }
        await arrival(of: fence)
        for (key, value) in values {
            file[key] = value
            // The last good value stays in force.
            if let value, settings[key] != nil, !key.accepts(value) { continue }
            model[.application][key] = value
        }
        try check(.application, .external)
    }

    private func arrival(of fence: Int64) async {
        for await value in group.$fence where value == fence { return }
    }

    func flush() async throws {
        notes.append("flush")
        try await store.flush()
        try checkStorage()
        try check()
    }

    private func restart() async throws {
        try await close()
        try await open()
    }
}
