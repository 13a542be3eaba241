/// Events of watched files since the last call, unordered.
package struct FileEvents: Sendable, Equatable, ExpressibleByArrayLiteral {
    package struct Kinds: OptionSet, Sendable, Equatable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A file was written to. More of the same write may follow. Sources that can't distinguish it from
        /// ``replaced`` report both.
        package static let contents = Kinds(rawValue: 1)
        /// A file was made, renamed or removed, or closed by a process that may have written to it.
        package static let replaced = Kinds(rawValue: 2)
        /// A folder was removed or has appeared, or events were lost. Everything has to be examined.
        package static let places = Kinds(rawValue: 4)
    }

    package var kinds: Kinds
    /// The watched files concerned. With ``Kinds/places`` there may be others.
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

    mutating func insert(_ kinds: Kinds, of file: FilePath) {
        self.kinds.formUnion(kinds)
        files.insert(file)
    }

    package mutating func formUnion(_ other: FileEvents) {
        kinds.formUnion(other.kinds)
        files.formUnion(other.files)
    }
}
