extension StorageConformance {
    /// The checks that a storage has passed, and those that could not be made.
    public struct Report: Sendable, Hashable, CustomStringConvertible {
        /// The number of checks made; all have passed.
        public var checks: Int
        /// The promises that were not checked, each with the reason.
        public var leftOut: [String]

        /// The number of checks, and a line for each unchecked promise.
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
