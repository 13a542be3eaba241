extension UserDefaultsImport {
    /// The result of a run for each key. It has no values, so it shows none that a group would call a secret.
    public struct Report: Sendable, Hashable {
        /// A key.
        public struct Entry: Sendable, Hashable {
            /// The name in `UserDefaults`; for an archive, including the path in it.
            public var name: String
            /// The key of the store; `nil` if there is none.
            public var key: String?
            /// The action, or the reason that nothing was done, as a sentence; empty if there is nothing to report.
            public var reason: String
        }

        /// The keys that now have their value.
        public internal(set) var taken: [Entry] = []
        /// The keys that now have a converted value.
        public internal(set) var converted: [Entry] = []
        /// The keys that were left, with the reasons.
        public internal(set) var left: [Entry] = []
        /// Whether the import had been done before, so that nothing was taken.
        public internal(set) var isRepeated = false
    }
}

extension UserDefaultsImport.Report: CustomStringConvertible {
    /// A line for each key.
    public var description: String {
        guard !isRepeated else { return "It was imported before." }
        let lines = [("taken", taken), ("converted", converted), ("left", left)].flatMap { word, entries in
            entries.map { "\(word): \($0)" }
        }
        return lines.isEmpty ? "There was nothing to import." : lines.joined(separator: "\n")
    }
}

extension UserDefaultsImport.Report.Entry: CustomStringConvertible {
    /// For example, `“LaunchCount” to “launches”. A string became a whole number.`
    public var description: String {
        let target = key.map { " to “\($0)”" } ?? ""
        return reason.isEmpty ? "“\(name)”\(target)" : "“\(name)”\(target). \(reason)"
    }
}
