import SettleTesting
import Testing

@testable import Settle

/// A random history of one store with several domains, checked against a naive search list after each step.
final class SearchListHistory {
    /// What an event must say.
    struct Event {
        let step: Int
        let domain: DomainName
        let origin: ValueOrigin?
        var mutations: [HistoryKey: Mutated] = [:]
    }

    struct Mutated: Hashable {
        let old: SettingValue
        let new: SettingValue
        let domain: DomainName
    }

    static let languages = ["pt-BR", "pt", "de"]
    private static let orders: [[DomainName]] = [
        [.managed, .overrides, "high", .application, "low", .language, .registration],
        [.overrides, "high", .managed, .application, "low", .registration, .language],
        [.managed, "high", .overrides, "low", .language, .registration],
    ]

    var random: SeededGenerator
    var notes: [String] = []
    var model: NaiveSearchList
    /// What the storage has once everything is saved.
    var file: [HistoryKey: SettingValue] = [:]
    var registered: [String: [HistoryKey: SettingValue]] = [:]
    var overrides: [(token: SettingOverride, key: HistoryKey, value: SettingValue)] = []
    var events: (effective: [Event], own: [Event]) = ([], [])
    private(set) var store: SettingsStore
    let home: any HistoryHome
    /// The keys that other domains may still have under the names of earlier versions.
    var formerNames: [HistoryKey: SettingKey] = [:]
    private(set) var settings: [HistoryKey: HistorySetting] = [:]
    private var answers: [HistoryKey: NaiveSearchList.Answer] = [:]
    private var own: [HistoryKey: SettingValue] = [:]
    /// What the step has written or removed where something was stored that can't be used.
    private var repaired: Set<HistoryKey> = []
    /// What the late group had in force when it was last open, and a file keeps.
    private var lastGoodSize: SettingValue?
    private var changes: (effective: Changes.Iterator, own: Changes.Iterator)?
    private(set) var group = HistoryGroup()
    private var owned = HistoryOwnedGroup()

    init(seed: UInt64, in home: any HistoryHome = MemoryHome()) async throws {
        self.home = home
        random = SeededGenerator(seed: seed)
        let order = Self.orders[Int(seed % 3)]
        let names = order.contains(.application) ? order : order + [.application]
        let end = names.firstIndex(of: .application) ?? 0
        model = NaiveSearchList(
            layers: names.enumerated().map { index, name in
                .init(name: name, locksKeys: name == .managed, isAbove: index < end)
            })
        store = try await SettingsStore.open(storage: InMemoryStorage())
        notes = ["seed \(seed)"]
        for name: DomainName in ["high", "low", .managed] {
            model[name] = someValues()
            _ = try home.source(of: name, model[name].tree)
        }
        for key in HistoryKey.allCases where Bool.random(using: &random) { file[key] = key.any(&random) }
        try await open()
    }

    /// Opens the store with what the file and the domains' sources have.
    func open() async throws {
        model.layers.removeAll { $0.name.description.hasPrefix("suite") }
        for name in [DomainName.overrides, .registration, .language] { model[name] = [:] }
        (registered, overrides) = ([:], [])
        let list = try model.layers.map { layer -> SearchList.Domain in
            switch layer.name {
            case .application: .application
            case .overrides: .overrides
            case .registration: .registration
            case .language: .language(["pt-BR", "de"])
            default: .source(layer.name, try home.source(of: layer.name, nil), locksKeys: layer.locksKeys)
            }
        }
        store = try await SettingsStore.open(
            storage: home.storage(file.tree), searching: SearchList(list),
            configuration: .init(clock: ManualClock()), migrations: home.migrations)
        if settings[.size] != nil { lastGoodSize = model[.application][.size] }
        group = try await store.group(HistoryGroup.self)
        owned = try await store.group(HistoryOwnedGroup.self, at: "lock")
        settings = HistorySetting.all(group, owned, nil)
        let former = model[.application]
        model[.application] = file.filter { settings[$0.key] == nil || $0.key.accepts($0.value) }
        if home is DiskHome {
            // Files keep the last good values for the next process.
            for (key, value) in former where settings[key] != nil && file[key].map(key.accepts) == false {
                model[.application][key] = key.accepts(value) ? value : nil
            }
        }
        (own, answers) = (model[.application], [:])
        answers = answersNow()
        events = ([], [])
        changes = (
            try store.changes(afterRevision: store.revision).makeAsyncIterator(),
            store.domains[.application].changes().makeAsyncIterator()
        )
        try checkValues()
    }

    /// Opens a group late, or releases it.
    func toggleLate() async throws {
        var values = model[.application]
        if settings[.size] == nil {
            settings = HistorySetting.all(group, owned, try await store.group(HistoryLateGroup.self, at: "late"))
            if let value = values[.size], !HistoryKey.size.accepts(value) {
                values[.size] = home is DiskHome ? lastGoodSize : nil
            }
        } else {
            lastGoodSize = values[.size]
            try await store.release(at: "late")
            settings[.size] = nil
            values[.size] = file[.size]
        }
        model[.application] = values
        (own, answers[.size]) = (values, nil)
        answers = answersNow()
    }

    func someValues() -> [HistoryKey: SettingValue] {
        var values: [HistoryKey: SettingValue] = [:]
        for key in HistoryKey.layered where Int.random(in: 0..<3, using: &random) == 0 {
            values[key] = key.any(&random)
        }
        return values
    }

    // MARK: Checking

    func answer(_ key: HistoryKey) -> NaiveSearchList.Answer { model.answer(key, before: answers[key]) }

    private func answersNow() -> [HistoryKey: NaiveSearchList.Answer] {
        settings.reduce(into: [:]) { $0[$1.key] = model.answer($1.key, before: answers[$1.key]) }
    }

    /// Compares everything with the model, and notes which events there must be.
    func check(_ domain: DomainName = .application, _ origin: ValueOrigin? = nil) throws {
        let (before, ownBefore) = (answers, own)
        (answers, own) = (answersNow(), model[.application])
        var event = Event(step: notes.count - 1, domain: domain, origin: origin)
        var ownEvent = event
        for key in settings.keys {
            guard let old = before[key], let new = answers[key] else { continue }
            if old.value != new.value {
                let name = new.domain == .declaration ? .application : new.domain
                event.mutations[key] = Mutated(old: old.value, new: new.value, domain: name)
            }
            let ownMutation = Mutated(
                old: ownBefore[key] ?? key.standard, new: own[key] ?? key.standard,
                domain: new.isCovered ? new.domain : .application)
            // Storing what the default says matters only if it is put over another domain's value, and its removal
            // always.
            let isPlain = ownMutation.old == ownMutation.new && own[key] != nil
            let isOwnEvent = ownBefore[key] != own[key] && (!isPlain || model.isLayered(key))
            if isOwnEvent || repaired.contains(key) { ownEvent.mutations[key] = ownMutation }
        }
        repaired = []
        if !event.mutations.isEmpty { events.effective.append(event) }
        if !ownEvent.mutations.isEmpty { events.own.append(ownEvent) }
        try checkValues()
    }

    private func checkValues() throws {
        var tree = SettingTree()
        for key in HistoryKey.allCases {
            guard let setting = settings[key], let answer = answers[key] else {
                tree[key.key] = model.first(key)
                continue
            }
            tree[key.key] = answer.value
            try #require(setting.value() == answer.value, "\(key): \(setting.value()), not \(answer) \(notes)")
            try #require(setting.domain() == answer.domain, "\(key): \(setting.domain()), not \(answer) \(notes)")
            try #require(setting.isCovered() == answer.isCovered, "\(key), \(answer) \(notes)")
            try #require(setting.isLocked() == model.isLocked(key), "\(key), \(answer) \(notes)")
            try #require(setting.stored() == own[key], "\(key): \(String(describing: setting.stored())) \(notes)")
        }
        var found = store.keys.effectiveValues
        // What other domains have under earlier names stays visible there as well.
        for name in found.root.keys where name.hasPrefix("version") { found.root[name] = nil }
        try #require(found == tree, "\(model.layers) \(notes)")
    }

    func checkStorage() throws {
        try #require(home.stored() == file.tree, "\(notes)")
    }

    /// Closes the store and compares all events since the opening: no more, and no less.
    func close() async throws {
        notes.append("close")
        try await store.close()
        for event in events.effective { try compare(await changes?.effective.next(), event, "effective") }
        for event in events.own { try compare(await changes?.own.next(), event, "own") }
        let (last, lastOwn) = (await changes?.effective.next(), await changes?.own.next())
        try #require(last == nil && lastOwn == nil, "\(String(describing: last ?? lastOwn)) \(notes)")
        try checkStorage()
    }

    private func compare(_ change: Change?, _ event: Event, _ view: String) throws {
        let change = try #require(change, "no \(view) event of step \(event.step) \(notes)")
        let mutations = try change.mutations.map { mutation in
            let (key, old) = (HistoryKey(rawValue: mutation.key), mutation.oldStoredValue)
            return (
                try #require(key, "\(notes)"),
                Mutated(
                    old: try #require(old), new: try #require(mutation.newStoredValue), domain: mutation.domain)
            )
        }
        let found = Dictionary(uniqueKeysWithValues: mutations)
        let place: Comment = "\(view) event of step \(event.step): \(change) \(notes)"
        try #require(found == event.mutations, place)
        try #require(change.domain == event.domain && (event.origin ?? change.origin) == change.origin, place)
        try #require(change.missed.count == 0, place)
    }

    // MARK: The application's values

    /// A write of the application's domain, as the model has it.
    func write(_ value: SettingValue, _ key: HistoryKey) {
        let own = model[.application][key]
        // The default needs no pin where no other domain has a value.
        let isNew = value != own && (own != nil || value != key.standard || model.isLayered(key))
        if hasUnusable(key) { repaired.insert(key) } else if !isNew { return }
        model[.application][key] = value
        file[key] = value
    }

    /// Whether something is stored that the setting can't use.
    func hasUnusable(_ key: HistoryKey) -> Bool {
        settings[key] != nil && file[key].map(key.accepts) == false
    }

    func remove(_ key: HistoryKey) {
        if hasUnusable(key) { repaired.insert(key) }
        model[.application][key] = nil
        file[key] = nil
    }
}
