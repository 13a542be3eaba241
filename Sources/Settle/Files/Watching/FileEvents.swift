/// What has happened to watched files since the last call, in no order.
package struct FileEvents: Sendable, Hashable, ExpressibleByArrayLiteral {
    package struct Kinds: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A file was written to. More of the same write may follow. Who can't tell that from ``replaced`` tells both.
        package static let contents = Kinds(rawValue: 1)
        /// A file was made, renamed, removed, or closed by somebody who might have written to it.
        package static let replaced = Kinds(rawValue: 2)
        /// Something is not known or has moved: a folder has gone or has come, or events were lost. Look at everything.
        package static let places = Kinds(rawValue: 4)
    }

    package var kinds: Kinds
    /// The watched files that it happened to. With ``Kinds/places`` there may be others.
    package var files: Set<FilePath>

    package init(_ kinds: Kinds, files: Set<FilePath> = []) {
        self.kinds = kinds
        self.files = files
    }

    package init(arrayLiteral elements: Kinds...) {
        self.init(Kinds(elements))
    }

    package func contains(_ kinds: Kinds) -> Bool {
        self.kinds.contains(kinds)
    }

    package mutating func formUnion(_ other: FileEvents) {
        kinds.formUnion(other.kinds)
        files.formUnion(other.files)
    }
}
