extension SettingsBundle {
    /// Something that is wrong with a bundle, and what was done about it.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// An extensible kind of finding.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            public let description: String
            /// Creates a kind of your own.
            public init(_ description: String) { self.description = description }

            /// A specifier, or a list, lacks a key that it must have.
            public static let missingKey = Kind("missingKey")
            /// A key has a value of the wrong type, or one that is not known.
            public static let wrongValue = Kind("wrongValue")
            /// A specifier has a type that is not known.
            public static let unknownType = Kind("unknownType")
            /// There are more values than titles, or fewer.
            public static let countMismatch = Kind("countMismatch")
            /// A default is none of the values, or out of the range.
            public static let defaultValue = Kind("defaultValue")
            /// A file is missing.
            public static let missingFile = Kind("missingFile")
            /// A file is there but can't be read.
            public static let unreadableFile = Kind("unreadableFile")
            /// A pane leads back to itself or to one before it.
            public static let circularPane = Kind("circularPane")
            /// A name leads out of the bundle, or can't be one.
            public static let unsafeName = Kind("unsafeName")
            /// There is more than a bundle may have.
            public static let limit = Kind("limit")
            /// A setting has no form in a bundle, or only an approximate one.
            public static let noForm = Kind("noForm")
        }

        /// The kind of finding.
        public let kind: Kind
        /// The path of the file within the bundle, such as `Root.plist` or `de.lproj/Root.strings`; empty for the
        /// bundle itself.
        public let file: String
        /// The position of the specifier in its file, counted from 0; `nil` if it is no specifier.
        public let index: Int?
        /// What is wrong and what was done, as sentences without the place.
        public let reason: String

        init(_ kind: Kind, file: String, index: Int? = nil, _ reason: String) {
            (self.kind, self.file, self.index, self.reason) = (kind, file, index, reason)
        }

        public var description: String {
            let place = [file, index.map { "specifier \($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
            return place.isEmpty ? reason : "\(place): \(reason)"
        }
    }
}
