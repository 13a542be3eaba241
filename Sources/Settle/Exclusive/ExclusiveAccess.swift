import Synchronization

/// One task's exclusive access under one name, from the moment in which it has it until it gives it up.
final class ExclusiveAccess: Sendable {
    /// What the current task has, and what the tasks had that it was started in.
    @TaskLocal static var current: [ExclusiveAccess] = []

    private let name: String
    /// Stays meaningful while this is in force, because the store lives at least as long.
    private let store: ObjectIdentifier
    private let isInForce = Atomic(true)

    init(to store: StoreCore, named name: String) {
        self.name = name
        self.store = ObjectIdentifier(store)
    }

    /// Whether the current task would wait for itself, or for the one that waits for it.
    static func isHeldByCurrentTask(to store: StoreCore, named name: String) -> Bool {
        current.contains { access in
            // A task may live longer than the one in which it was started had its access.
            access.isInForce.load(ordering: .acquiring) && access.store == ObjectIdentifier(store)
                && access.name == name
        }
    }

    func end() {
        isInForce.store(false, ordering: .releasing)
    }

    // MARK: Names

    private static let lengths = 1...64

    /// Whether a name may become part of a file's name, and of no other file's.
    static func isValid(_ name: String) -> Bool {
        lengths.contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    static func rule(for name: String) -> String {
        "“\(name)” can't be the name of an exclusive access: a name has 1 to 64 ASCII letters, digits, hyphens and "
            + "underscores."
    }
}
