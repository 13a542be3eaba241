extension StorageConformance {
    /// Which checks a storage has passed, and which could not be made.
    public struct Report: Sendable, Hashable, CustomStringConvertible {
        /// How many checks were made; all have passed.
        public var checks: Int
        /// The promises that were not checked, each with the reason.
        public var leftOut: [String]

        /// The number of checks, and a line for each that was left out.
        public var description: String {
            "\(checks) checks have passed, and \(leftOut.count) were left out\(leftOut.isEmpty ? "." : ":")"
                + leftOut.map { "\n- \($0)" }.joined()
        }
    }

    /// Thrown by a check that can't be made, with the reason.
    struct LeftOut: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
