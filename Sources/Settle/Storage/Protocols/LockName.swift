/// The rule for names that a storage can reserve.
enum LockName {
    private static let lengths = 1...64

    /// Whether a name can be part of a file name without colliding with another.
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
        "“\(name)” can't be the name of a lock: a name has 1 to 64 ASCII letters, digits, hyphens and "
            + "underscores."
    }
}
