import Foundation
import Settle
import SettleTesting
import Testing

/// Random writes by keys within each other, compared with a plain tree in which the last write wins.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct RuntimeKeyHistoryTests {
    private static let keys = ["a", "a.b", "a.b.c", "a.b.d", "a.e", "f", "f.g"]
    private static let values: [Node] = [
        .leaf(1), .leaf(2), .branch(["b": .leaf(3), "x": .leaf(4)]), .branch(["c": .leaf(6)]),
        .branch(["b": .branch(["c": .leaf(5)])]),
    ]

    private enum Step: CustomStringConvertible {
        case set(String, Node)
        case remove(String)

        init(_ values: [Node], using random: inout SeededGenerator) {
            let key = RuntimeKeyHistoryTests.keys.randomElement(using: &random) ?? "a"
            guard Int.random(in: 0..<4, using: &random) > 0 else {
                self = .remove(key)
                return
            }
            self = .set(key, values.randomElement(using: &random) ?? .leaf(0))
        }

        var description: String {
            switch self {
            case .set(let key, let value): "\(key) = \(value)"
            case .remove(let key): "remove \(key)"
            }
        }

        func perform(in store: SettingsStore, _ model: inout Node) throws {
            switch self {
            case .set(let key, let value):
                try store.keys.setValue(value, forKey: key)
                model[key] = value
            case .remove(let key):
                try store.keys.removeValue(forKey: key)
                if model[key] != nil { model[key] = nil }
            }
        }
    }

    /// `SETTLE_HISTORIES` sets another number of histories, and `SETTLE_HISTORY_SEED` the first seed: a number of 1
    /// repeats a history that has failed.
    private static var seeds: Range<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? 0
        return first..<(first + (environment["SETTLE_HISTORIES"].flatMap(UInt64.init) ?? 80))
    }

    @Test(
        "Whatever is written, undone and saved in any order, the last write by key stands",
        arguments: [SettingsStore.Configuration().savePolicy, .memoryOnly])
    func writtenUndoneSaved(
        savePolicy: SavePolicy
    ) async throws {
        for seed in Self.seeds { try await run(seed: seed, savePolicy) }
    }

    private func run(seed: UInt64, _ savePolicy: SavePolicy) async throws {
        var random = SeededGenerator(seed: seed)
        // An empty dictionary that disappears with what a transaction wrote in it and removed is no mutation.
        let isFollowed = seed.isMultiple(of: 2)
        let values = isFollowed ? Self.values : Self.values + [.branch([:])]
        var model = Node(Self.values.randomElement(using: &random) ?? .leaf(0), at: "a")
        let memory = InMemoryStorage(model.tree)
        let storage = FailingStorage(memory)
        let configuration = SettingsStore.Configuration(savePolicy: savePolicy, clock: ManualClock())
        let store = try await SettingsStore.open(storage: storage, configuration: configuration)
        var follower = try Follower(store, model)
        var notes: [String] = ["seed \(seed)"]
        var hold: (storage: StorageHold, flush: Task<Void, any Error>)?
        for round in 0..<10 {
            let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in Step(values, using: &random) }
            let inner = (0..<2).map { _ in Step(values, using: &random) }
            let kind = Kind.allCases.randomElement(using: &random) ?? .alone
            notes.append("\(kind) \(steps)\(kind == .nested ? ", undone within: \(inner)" : "")")
            switch kind {
            case .alone:
                for step in steps { try perform([step], in: store, &model, notes) }
            case .update:
                try store.update { try perform(steps, in: store, &model, notes) }
            case .nested:
                try store.update {
                    try perform([steps[0]], in: store, &model, notes)
                    try undo(inner, in: store, model, notes)
                    try perform(Array(steps[1...]), in: store, &model, notes)
                }
            case .undone:
                try undo(steps, in: store, model, notes)
            case .commit:
                hold?.storage.release()
                storage.heal()
                model = try await store.commit { [model, notes] in
                    var model = model
                    try perform(steps, in: store, &model, notes)
                    return model
                }
            }
            try check(store, model, notes)
            if isFollowed { try await follower.check(store, model, notes) }
            guard savePolicy != .memoryOnly else { continue }
            hold?.storage.release()
            try await hold?.flush.value
            hold = nil
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                notes.append("flush")
                storage.heal()
                try await store.flush()
                try check(store, model, notes)
                try #require(memory.tree == model.tree, "\(notes)")
                try #require(store.core.indexedSettingCount == 0, "\(notes)")
            case 2:
                notes.append("fail")
                let moment: FailingStorage.Moment = Bool.random(using: &random) ? .before : .after
                storage.fail(.append, with: StorageError(.noSpace, "There is no room."), moment: moment)
                _ = try? await store.flush()
            case 3:
                notes.append("hold")
                storage.heal()
                try await store.flush()
                try perform([.set("h", .leaf(round))] + steps, in: store, &model, notes)
                let newHold = storage.hold(.append)
                hold = (newHold, Task { [store] in try await store.flush() })
                await newHold.waitUntilReached()
            default: break
            }
        }
        hold?.storage.release()
        try await hold?.flush.value
        storage.heal()
        try await store.close()
        guard savePolicy != .memoryOnly else { return }
        try #require(memory.tree == model.tree, "\(notes)")
        let again = try await SettingsStore.open(storage: InMemoryStorage(memory.tree))
        try check(again, model, notes)
    }

    private enum Kind: CaseIterable { case alone, update, nested, undone, commit }

    private func perform(
        _ steps: [Step], in store: SettingsStore, _ model: inout Node, _ notes: [String]
    ) throws {
        for step in steps {
            try step.perform(in: store, &model)
            try check(store, model, notes)
        }
    }

    private func undo(_ steps: [Step], in store: SettingsStore, _ model: Node, _ notes: [String]) throws {
        var inner = model
        let error = thrown {
            try store.update {
                try perform(steps, in: store, &inner, notes)
                throw TestFailure()
            }
        }
        try #require(error is TestFailure, "\(error), \(notes)")
        try check(store, model, notes)
    }

    private func check(_ store: SettingsStore, _ model: Node, _ notes: [String]) throws {
        for key in Self.keys {
            let value = try store.keys.value(forKey: key, as: Node.self)
            try #require(value == model[key], "\(key), \(notes)")
        }
        for path in ["", "a", "a.b"] {
            var groups: [String] = []
            if case .branch(let nodes)? = path.isEmpty ? model : model[path] {
                groups = nodes.filter { if case .branch = $0.value { true } else { false } }.map(\.key).sorted()
            }
            try #require(store.keys.groupNames(at: path) == groups, "\(path), \(notes)")
        }
    }
}

/// Applies the changes of a store to its own tree.
private struct Follower {
    let recorder: ChangeRecorder<Change>
    private var tree: Node
    private var count = 0

    init(_ store: SettingsStore, _ model: Node) throws {
        recorder = ChangeRecorder(try store.changes(afterRevision: store.revision))
        tree = model
    }

    mutating func check(_ store: SettingsStore, _ model: Node, _ notes: [String]) async throws {
        let revision = store.revision
        let changes = await recorder.until { ($0.last?.revision ?? 0) >= revision || revision == 0 }
        for change in changes[count...] {
            let before = tree
            for mutation in change.mutations {
                let (old, new) = (Node(mutation.oldStoredValue ?? .null), Node(mutation.newStoredValue ?? .null))
                try #require(old == before[mutation.key], "\(mutation), \(notes)")
                if new != nil || tree[mutation.key] != nil { tree[mutation.key] = new }
            }
        }
        count = changes.count
        try #require(tree == model, "\(notes)")
    }
}
