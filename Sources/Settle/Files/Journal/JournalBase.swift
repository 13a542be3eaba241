/// What a journal begins with: everything that its records are to be applied to.
package struct JournalBase: Sendable, Equatable {
    /// A version that the readable file may have.
    package struct Mirror: Sendable, Equatable {
        package var version: FileVersion
        /// Where it has other values than the tree, and which.
        package var difference: [JournalEntry]
        /// Whether it is one of the file of state.
        package var isOfState: Bool

        package init(_ version: FileVersion, _ difference: [JournalEntry] = [], isOfState: Bool = false) {
            self.version = version
            self.difference = difference
            self.isOfState = isOfState
        }
    }

    /// What has come since a journal was begun where another one had been removed: what those who had that one open, and
    /// have known more of it, need to tell what is newer here from what is newer there.
    package struct News: Sendable, Equatable {
        /// What has been written since.
        package private(set) var keys: Set<SettingKey> = []
        /// Up to where somebody has put the values of the removed one beside these.
        package private(set) var united: ChangeToken?

        package init(keys: Set<SettingKey> = [], united: ChangeToken? = nil) {
            (self.keys, self.united) = (keys, united)
        }

        /// With more keys, a renewal would write more for them than for the values.
        private static let limit = 1_000

        /// - Returns: Whether there are not too many by now.
        mutating func add(_ batch: JournalBatch) -> Bool {
            for entry in batch.entries { keys.insert(entry.key) }
            return keys.count <= Self.limit
        }

        mutating func add(_ origin: ChangeToken) {
            if united?.history != origin.history || united.map({ $0.position < origin.position }) != false {
                united = origin
            }
        }
    }

    /// All values.
    package var tree: SettingTree
    /// The version that was written or read last, and behind it those of which it is not known whether they are there.
    package var mirrors: [Mirror]
    /// `nil` if no journal was removed before, or if too much has come since.
    package var news: News?

    package init(tree: SettingTree, mirrors: [Mirror], news: News? = nil) {
        self.tree = tree
        self.mirrors = mirrors
        self.news = news
    }
}
