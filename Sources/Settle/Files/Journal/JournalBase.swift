/// The values and versions with which a journal begins: everything to which its records are applied.
package struct JournalBase: Sendable, Equatable {
    /// The maximum number of versions that are noted. Of a file that can't be replaced, each try begins one; every change
    /// is noted in each of them, so thousands would take time and memory without end.
    static let mirrorLimit = 64

    /// A version that the readable file may have.
    package struct Mirror: Sendable, Equatable {
        package var version: FileVersion
        /// The keys where it differs from the tree, with its values.
        package var difference: [JournalEntry]
        /// Whether it is one of the state file.
        package var isOfState: Bool

        package init(_ version: FileVersion, _ difference: [JournalEntry] = [], isOfState: Bool = false) {
            self.version = version
            self.difference = difference
            self.isOfState = isOfState
        }
    }

    /// The changes since a journal was begun where there was none, or since a removal emptied the settings. A process
    /// that had another journal open needs them to decide which of two values is newer.
    package struct News: Sendable, Equatable {
        /// The keys that have been written since.
        package private(set) var keys: Set<SettingKey> = []
        /// The keys that were changed in the file before anything was written. Others may know that file.
        package private(set) var edited: Set<SettingKey> = []
        /// The token up to which a process has added the values of the removed journal to these.
        package private(set) var united: ChangeToken?
        /// The keys of those values.
        package private(set) var unitedKeys: Set<SettingKey> = []
        /// Whether all values have been written since, because there were none. Then keys are not listed; for most
        /// files that stays true.
        package private(set) var isEverything = false

        package init(
            keys: Set<SettingKey> = [], edited: Set<SettingKey> = [], united: ChangeToken? = nil,
            unitedKeys: Set<SettingKey> = []
        ) {
            (self.keys, self.edited, self.united, self.unitedKeys) = (keys, edited, united, unitedKeys)
        }

        /// - Parameter tree: All values at the beginning.
        init(since tree: SettingTree) { isEverything = tree.root.isEmpty }

        package static let everything = News(since: SettingTree())

        /// With more keys, a renewal would write more for the keys than for the values.
        private static let limit = 1_000

        /// The flags of a record beside the keys.
        var flags: UInt64 {
            (united == nil ? 0 : 1) + (edited.isEmpty ? 0 : 2) + (isEverything ? 4 : 0) + (unitedKeys.isEmpty ? 0 : 8)
        }

        var areFew: Bool { keys.count + edited.count <= Self.limit }

        /// - Parameter tree: All values.
        func keys(in tree: SettingTree) -> Set<SettingKey> { isEverything ? Set(tree.leafKeys) : keys }

        mutating func write(_ batch: JournalBatch) {
            guard !isEverything else { return }
            for entry in batch.entries { keys.insert(entry.key) }
        }

        /// - Parameter tree: All values before that.
        mutating func edit(_ batch: JournalBatch, over tree: SettingTree) {
            guard isEverything ? tree.root.isEmpty : keys.isEmpty else { return write(batch) }
            isEverything = false
            edited.formUnion(batch.entries.lazy.filter { tree[$0.key] != $0.value }.map(\.key))
        }

        /// - Parameter tree: All values before that.
        mutating func unite(_ union: JournalUnion, over tree: SettingTree) {
            (keys, isEverything) = (keys(in: tree), false)
            let (origin, added) = (union.origin, union.batch.entries.map(\.key))
            edited.subtract(added)
            unitedKeys = united?.history == origin.history ? unitedKeys.union(added) : Set(added)
            if unitedKeys.count > Self.limit { unitedKeys = [] }
            if united?.history != origin.history || united.map({ $0.position < origin.position }) != false {
                united = origin
            }
        }
    }

    /// All values.
    package var tree: SettingTree
    /// The version that was written or read last, followed by those that may or may not be there.
    package var mirrors: [Mirror]
    /// `nil` if there have been too many changes since.
    package var news: News?

    package init(tree: SettingTree, mirrors: [Mirror], news: News? = nil) {
        self.tree = tree
        self.mirrors = mirrors
        self.news = news
    }
}
