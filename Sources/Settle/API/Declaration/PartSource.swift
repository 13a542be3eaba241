/// The source of a part of a setting's value, without the type of the whole.
protocol PartSource<Value>: Sendable {
    associatedtype Value: Sendable

    var value: Value { get }
    var trackedValue: Value { get }
    var defaultValue: Value { get }
    /// The setting's full key.
    var key: String { get }
    var identity: PartIdentity { get }
    var isSecret: Bool { get }

    func makeIterator() -> any LatestIterator<Value>
    func appending<Member>(_ path: PartPath<Value, Member>) -> any PartSource<Member>

    /// Changes the part, unless it is missing or the closure leaves it equal.
    ///
    /// - Parameter failing: Converts an error of the store to one that the caller throws.
    func change<Result, Failure: Error>(
        failing: (SettingsError) -> Failure, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result
    /// Takes the writer's lock and reads the part.
    func beginModifying() -> PartModification<Value>
    /// Writes the part and releases the lock. A value that can't be written is reported, or fails the transaction in
    /// progress.
    func endModifying(_ modification: PartModification<Value>, with value: Value)
    func reset(author: String?) throws(SettingsError)
}

/// The identity of a part.
struct PartIdentity: Hashable, Sendable {
    let setting: ObjectIdentifier
    let steps: [PartStep]
}

/// An in-place change of a part, in progress.
struct PartModification<Value: Sendable>: Sendable {
    let value: Value
    let change: InPlaceChange
}

/// The part of a setting's value at a path.
struct PathSource<Root: Sendable, Value: Sendable>: PartSource {
    let base: SettingReference<Root>
    let path: PartPath<Root, Value>

    var value: Value { path.value(base.value) }
    var trackedValue: Value { path.value(base.box.trackedValue) }
    var defaultValue: Value { path.value(base.defaultValue) }
    var key: String { base.key }
    var identity: PartIdentity { PartIdentity(setting: ObjectIdentifier(base.box.resolved), steps: path.steps) }
    var isSecret: Bool { path.isSecret || base.box.isSecret }

    func makeIterator() -> any LatestIterator<Value> {
        PartIterator(base: base.makeAsyncIterator(), path: path)
    }

    func appending<Member>(_ next: PartPath<Value, Member>) -> any PartSource<Member> {
        PathSource<Root, Member>(base: base, path: path.appending(next))
    }

    func change<Result, Failure: Error>(
        failing: (SettingsError) -> Failure, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try base.change(failing: failing) { (whole: inout Root) throws(Failure) in
            guard let old = path.present(whole) else { throw failing(missing) }
            var new = old
            let result = try body(&new)
            if let areEqual = equality(of: Value.self), areEqual(old, new) { return (result, isChanged: false) }
            if let refusal = refusal(of: path.write(&whole, new)) { throw failing(refusal) }
            return (result, isChanged: true)
        }
    }

    func beginModifying() -> PartModification<Value> {
        let (whole, change) = base.beginModifying()
        return PartModification(value: path.value(whole), change: change)
    }

    func endModifying(_ modification: PartModification<Value>, with value: Value) {
        base.endModifying(modification.change) { whole throws(SettingsError) in
            guard let old = path.present(whole) else { throw missing }
            if let areEqual = equality(of: Value.self), areEqual(old, value) { return false }
            if let refusal = refusal(of: path.write(&whole, value)) { throw refusal }
            return true
        }
    }

    func reset(author: String?) throws(SettingsError) {
        guard let value = path.present(base.defaultValue) else { throw missing }
        try base.transact(origin: .reset, by: author) { () throws(SettingsError) in
            try change(failing: { $0 }) { part throws(SettingsError) in part = value }
        }
    }

    private var steps: String { path.steps.map(\.description).joined() }

    private var missing: SettingsError { .missingPart(key, steps) }

    private func refusal(of write: PartWrite) -> SettingsError? {
        switch write {
        case .done: nil
        case .missing: missing
        case .isNeeded: .neededPart(key, steps)
        }
    }
}

/// Returns the part whenever it has changed, skipping values in which it is missing.
struct PartIterator<Root: Sendable, Value: Sendable>: LatestIterator {
    private var base: SettingReference<Root>.Iterator
    private let path: PartPath<Root, Value>
    private let areEqual = equality(of: Value.self)
    /// The part returned last.
    private var last: Value?

    init(base: SettingReference<Root>.Iterator, path: PartPath<Root, Value>) {
        self.base = base
        self.path = path
    }

    mutating func next() async -> Value? {
        await next(isolation: #isolation)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
        while let whole = await base.next(isolation: actor) {
            if let part = newPart(of: whole) { return part }
        }
        return nil
    }

    mutating func newest(insteadOf element: Value) -> Value {
        guard let whole = base.popNewest() else { return element }
        return newPart(of: whole) ?? element
    }

    private mutating func newPart(of whole: Root) -> Value? {
        guard let part = path.present(whole) else { return nil }
        if let last, areEqual?(last, part) == true { return nil }
        last = part
        return part
    }
}
