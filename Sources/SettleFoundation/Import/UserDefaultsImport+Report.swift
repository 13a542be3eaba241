extension UserDefaultsImport {
    /// What a run has done with each key. It has no values, so that none shows that a group would call a secret.
    public struct Report: Sendable, Hashable {
        /// A key.
        public struct Entry: Sendable, Hashable {
            /// The name in `UserDefaults`; of an archive, with the way in it.
            public var name: String
            /// The key of the store; `nil` if none is meant.
            public var key: String?
            /// What was done, or why not, as a sentence; empty if there is nothing to say.
            public var reason: String
        }

        /// What has its value now.
        public internal(set) var taken: [Entry] = []
        /// What has a value now that was converted.
        public internal(set) var converted: [Entry] = []
        /// What was left, and why.
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
    /// Such as `“LaunchCount” to “launches”. A string became a whole number.`
    public var description: String {
        let target = key.map { " to “\($0)”" } ?? ""
        return reason.isEmpty ? "“\(name)”\(target)" : "“\(name)”\(target). \(reason)"
    }
}
