import Settle

/// The values on which processes and hand edits of a shared settings file must agree.
///
/// Batches and edits have one order, the journal's. An edit that no process has merged yet comes last.
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

    /// The values before the first event.
    private var base = SettingTree()
    private var events: [Event] = []
    /// The number of events that survive a power loss.
    private var stableCount = 0
    /// The base with all events applied.
    private(set) var taken = SettingTree()
    /// Edited values that no process has merged yet.
    private(set) var edit: [SettingKey: SettingValue?] = [:]
    /// Whether the file is unreadable.
    var isBroken = false

    /// The values that every process must find.
    var visible: SettingTree { isBroken ? taken : mended }

    /// The values that every process must find once the file is repaired.
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

    /// The number of events so far.
    var count: Int { events.count }

    /// Makes the first `count` events survive a power loss.
    mutating func makeStable(_ count: Int) {
        stableCount = max(stableCount, min(count, events.count))
    }

    mutating func edit(_ values: [SettingKey: SettingValue?]) {
        edit.merge(values) { $1 }
    }

    /// Records that a process has merged the edit and journaled it.
    ///
    /// - Parameter before: Whether it did so before the file was broken.
    mutating func takeInEdit(before: Bool = false) {
        guard !edit.isEmpty, !isBroken || before else { return }
        add(.edit(edit))
        edit = [:]
    }

    /// Whether a power loss may leave a tree, which is the truth from then on.
    ///
    /// Edits are on stable storage, whether or not the journal still has them. Batches survive in their order.
    mutating func settle(afterLossOfPower tree: SettingTree, _ isSame: (SettingTree, SettingTree) -> Bool) -> Bool {
        for count in (stableCount...events.count).reversed() {
            var known = base
            for event in events[..<count] { known.apply(event.values) }
            var edits: [SettingKey: SettingValue?] = [:]
            for event in events[count...] + [.edit(edit)] {
                guard case .edit(let values) = event else { continue }
                edits.merge(values) { $1 }
            }
            // If the last confirmation of a checkpoint is lost, a key that is missing from the file may look as if it
            // had never been written. It then has the value from the batches, and none that was edited before its
            // removal.
            let removed = edits.filter { $0.value == nil }.keys.sorted()
            for lost in 0..<(1 << removed.count) {
                var possible = known
                possible.apply(
                    edits.filter { key, _ in removed.firstIndex(of: key).map { lost >> $0 & 1 == 0 } ?? true })
                guard isSame(possible, tree) else { continue }
                base = possible
                taken = possible
                events = []
                edit = [:]
                stableCount = 0
                return true
            }
        }
        return false
    }
}
