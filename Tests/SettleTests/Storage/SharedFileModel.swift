import Settle

/// What several processes and a person who share a settings file must agree on.
///
/// Batches and edits form one order, the journal's. An edit that no process has taken in yet stands at its end.
struct SharedFileModel {
    enum Event {
        case batch([SettingKey: SettingValue?])
        case edit([SettingKey: SettingValue?])

        var values: [SettingKey: SettingValue?] {
            switch self {
            case .batch(let values), .edit(let values): values
            }
        }
    }

    /// What was stored before the first of the events.
    private var base = SettingTree()
    private var events: [Event] = []
    /// How many of the events survive a loss of power.
    private var stableCount = 0
    /// The base with all events.
    private(set) var taken = SettingTree()
    /// What a person has changed and no process has taken in.
    private(set) var edit: [SettingKey: SettingValue?] = [:]
    /// Whether the file can't be read as it is.
    var isBroken = false

    /// What whoever looks must find.
    var visible: SettingTree { isBroken ? taken : mended }

    /// What whoever looks must find once somebody has put the file in order.
    var mended: SettingTree {
        var tree = taken
        tree.apply(edit)
        return tree
    }

    mutating func append(_ values: [SettingKey: SettingValue?]) {
        add(.batch(values))
    }

    private mutating func add(_ event: Event) {
        events.append(event)
        taken.apply(event.values)
    }

    /// How many events there have been.
    var count: Int { events.count }

    /// The first events survive a loss of power.
    mutating func makeStable(_ count: Int) {
        stableCount = max(stableCount, min(count, events.count))
    }

    mutating func edit(_ values: [SettingKey: SettingValue?]) {
        edit.merge(values) { $1 }
    }

    /// A process has taken in the edit, and told the journal.
    ///
    /// - Parameter before: Whether it has done so before somebody broke the file.
    mutating func takeInEdit(before: Bool = false) {
        guard !edit.isEmpty, !isBroken || before else { return }
        add(.edit(edit))
        edit = [:]
    }

    /// Whether a tree is what may be found after a loss of power; it is the truth from then on.
    ///
    /// Edits are on stable storage, whether the journal still tells of them or not. Batches survive in their order.
    mutating func settle(afterLossOfPower tree: SettingTree, _ isSame: (SettingTree, SettingTree) -> Bool) -> Bool {
        for (count, keepsRemovals) in (stableCount...events.count).reversed().flatMap({ [($0, true), ($0, false)] }) {
            var possible = base
            for event in events[..<count] { possible.apply(event.values) }
            var edits: [SettingKey: SettingValue?] = [:]
            for event in events[count...] + [.edit(edit)] {
                guard case .edit(let values) = event else { continue }
                edits.merge(values) { $1 }
            }
            // A key that is missing from the file may look like one that was never written, if the last confirmation of
            // a checkpoint is lost. Then it has what batches gave it, and nothing that was edited before its removal.
            possible.apply(edits.filter { keepsRemovals || $0.value != nil })
            guard isSame(possible, tree) else { continue }
            base = possible
            taken = possible
            events = []
            edit = [:]
            stableCount = 0
            return true
        }
        return false
    }
}
