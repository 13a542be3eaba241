/// What a journal begins with: everything that its records are to be applied to.
package struct JournalBase: Sendable, Equatable {
    /// A version that the readable file may have.
    package struct Mirror: Sendable, Equatable {
        package var version: FileVersion
        /// Where it has other values than the tree, and which.
        package var difference: [JournalEntry]

        package init(_ version: FileVersion, _ difference: [JournalEntry] = []) {
            self.version = version
            self.difference = difference
        }
    }

    /// All values.
    package var tree: SettingTree
    /// The version that was written or read last, and behind it those of which it is not known whether they are there.
    package var mirrors: [Mirror]

    package init(tree: SettingTree, mirrors: [Mirror]) {
        self.tree = tree
        self.mirrors = mirrors
    }
}
