/// What an `update` has written so far. Guarded by the writer's lock of its store.
struct Transaction {
    let origin: Origin
    let writer: String?
    /// The written settings, in the order in which they were first written.
    private(set) var boxes: [AnySettingBox] = []
    private var known: Set<ObjectIdentifier> = []
    /// One level for each nested `update`: what to put back if it throws.
    private var levels: [Level] = []

    private struct Level {
        /// The first assignment that broke a rule; it makes the level throw at its end.
        var violation: SettingsError?
        var undo: [(box: AnySettingBox, state: (any Sendable)?)] = []
        var known: Set<ObjectIdentifier> = []
    }

    init(origin: Origin, writer: String?) {
        self.origin = origin
        self.writer = writer
    }

    var isOutermost: Bool { levels.count == 1 }
    var isEmpty: Bool { levels.isEmpty }

    /// The first assignment of the innermost level that broke a rule.
    var violation: SettingsError? { levels.last?.violation }

    mutating func refuse(_ error: SettingsError) {
        guard let top = levels.indices.last, levels[top].violation == nil else { return }
        levels[top].violation = error
    }

    mutating func begin() {
        levels.append(Level())
    }

    /// Notes a setting that is about to be staged.
    mutating func willStage(_ box: AnySettingBox) {
        let identity = ObjectIdentifier(box)
        if known.insert(identity).inserted { boxes.append(box) }
        let top = levels.count - 1
        if top >= 0, levels[top].known.insert(identity).inserted {
            levels[top].undo.append((box, box.stagedState()))
        }
    }

    /// Ends the innermost level and keeps what it wrote, for the level around it to decide.
    mutating func keep() {
        guard let level = levels.popLast(), let outer = levels.indices.last else { return }
        for entry in level.undo where levels[outer].known.insert(ObjectIdentifier(entry.box)).inserted {
            levels[outer].undo.append(entry)
        }
    }

    /// Ends the innermost level and puts back what it found.
    mutating func undo() {
        guard let level = levels.popLast() else { return }
        for (box, state) in level.undo.reversed() { box.restoreStaged(state) }
    }
}
