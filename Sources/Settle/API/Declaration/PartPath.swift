/// The path from a value to a part of it.
struct PartPath<Root: Sendable, Value: Sendable>: Sendable {
    /// The part, or its substitute while it is missing.
    let value: @Sendable (Root) -> Value
    /// The part; `nil` while it is missing.
    let present: @Sendable (Root) -> Value?
    /// Replaces the part by a value.
    let write: @Sendable (inout Root, Value) -> PartWrite
    /// Identifies the path.
    let steps: [PartStep]
    /// Whether the path leads through a secret or to one.
    var isSecret = Value.self is any SecretValue.Type

    func appending<Member>(_ next: PartPath<Value, Member>) -> PartPath<Root, Member> {
        PartPath<Root, Member>(
            value: { next.value(value($0)) },
            present: { present($0).flatMap(next.present) },
            write: { root, new in
                guard var outer = present(root) else { return .missing }
                let result = next.write(&outer, new)
                return result == .done ? write(&root, outer) : result
            },
            steps: steps + next.steps, isSecret: isSecret || next.isSecret)
    }
}

/// The result of writing a part.
enum PartWrite {
    case done
    /// The part is missing.
    case missing
    /// The part can't be `nil`.
    case isNeeded
}

extension PartPath where Root == Value {
    /// The whole value.
    static var whole: PartPath {
        PartPath(
            value: { $0 }, present: { $0 },
            write: { root, new in
                root = new
                return .done
            }, steps: [])
    }
}

extension PartPath {
    /// Creates the path to a property that can be written.
    init(_ path: any WritableKeyPath<Root, Value> & Sendable) {
        self.init(
            value: { $0[keyPath: path] }, present: { $0[keyPath: path] },
            write: { root, new in
                root[keyPath: path] = new
                return .done
            }, steps: [.property(path)])
    }

    /// Creates the path to a property that can only be read.
    init(readOnly path: any KeyPath<Root, Value> & Sendable) {
        self.init(
            value: { $0[keyPath: path] }, present: { $0[keyPath: path] }, write: { _, _ in .missing },
            steps: [.property(path)])
    }

    /// Returns the path to the content of an optional, which must not be `nil` now.
    ///
    /// - Parameter value: The substitute while the optional is `nil`.
    static func unwrapping(_ value: Value) -> PartPath where Root == Value? {
        PartPath(
            value: { $0 ?? value }, present: { $0 },
            write: { root, new in
                guard root != nil else { return .missing }
                root = new
                return .done
            }, steps: [.unwrapped])
    }

    /// Returns the path to a part of an optional's content. The part is `nil` while there is no content; then only
    /// `nil` can be written.
    static func through<Wrapped: Sendable, Member: Sendable>(
        _ next: PartPath<Wrapped, Member?>
    ) -> PartPath where Root == Wrapped?, Value == Member? {
        PartPath(
            value: { $0.flatMap(next.value) }, present: { .some($0.flatMap(next.value)) },
            write: { root, new in
                guard var wrapped = root else { return new == nil ? .done : .missing }
                let result = next.write(&wrapped, new)
                if result == .done { root = wrapped }
                return result
            }, steps: [.chained] + next.steps, isSecret: next.isSecret || Wrapped.self is any SecretValue.Type)
    }

    /// Returns the path to a part that is not an optional itself, and so can't be `nil` while there is content.
    static func through<Wrapped: Sendable, Member: Sendable>(
        _ next: PartPath<Wrapped, Member>
    ) -> PartPath where Root == Wrapped?, Value == Member? {
        let lifted = PartPath<Member, Member?>(
            value: { $0 }, present: { .some($0) },
            write: { root, new in
                guard let new else { return .isNeeded }
                root = new
                return .done
            }, steps: [])
        return through(next.appending(lifted))
    }

    /// Returns the path to an element of an array; `nil` out of bounds.
    static func element<Element>(at index: Int) -> PartPath where Root == [Element], Value == Element? {
        let read: @Sendable (Root) -> Element? = { $0.indices.contains(index) ? $0[index] : nil }
        return PartPath(
            value: read, present: { .some(read($0)) },
            write: { root, new in
                switch (new, root.indices.contains(index)) {
                case (let new?, true): root[index] = new
                case (nil, true): root.remove(at: index)
                case (nil, false): break
                case (_?, false): return .missing
                }
                return .done
            }, steps: [.element(index)])
    }

    /// Returns the path to the value of a dictionary's key; `nil` if there is none.
    static func entry<Key: Hashable & Sendable, Element>(
        for key: Key
    ) -> PartPath where Root == [Key: Element], Value == Element? {
        PartPath(
            value: { $0[key] }, present: { .some($0[key]) },
            write: { root, new in
                root[key] = new
                return .done
            }, steps: [.element(key)])
    }
}

/// A step of the path to a part.
struct PartStep: Sendable, CustomStringConvertible {
    private let identity: any Hashable & Sendable
    /// The step as written after the value, such as `.width`.
    let description: String

    static func property(_ path: any AnyKeyPath & Sendable) -> PartStep {
        // Such as `\Frame.width`; a property whose name is missing from the binary is spelled with its offset.
        let spelled = path.debugDescription
        let name = spelled.firstIndex(of: ".").map { String(spelled[$0...]) } ?? ""
        return PartStep(identity: path, description: name.isEmpty || name.contains("<") ? ".…" : name)
    }

    static var unwrapped: PartStep { PartStep(identity: Unwrapping.once, description: "?") }

    static var chained: PartStep { PartStep(identity: Unwrapping.eachTime, description: "?") }

    static func element(_ key: some Hashable & Sendable) -> PartStep {
        PartStep(identity: key, description: "[\(Redacted(typed: key))]")
    }

    private enum Unwrapping: Hashable {
        case once, eachTime
    }
}

extension PartStep: Hashable {
    static func == (left: PartStep, right: PartStep) -> Bool {
        AnyHashable(left.identity) == AnyHashable(right.identity)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(AnyHashable(identity))
    }
}
