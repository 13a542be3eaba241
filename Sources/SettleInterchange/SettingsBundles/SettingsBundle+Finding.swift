extension SettingsBundle {
    /// A problem with a bundle, and its treatment.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// An extensible kind of finding.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            public let description: String
            /// Creates a kind of your own.
            public init(_ description: String) { self.description = description }

            /// A specifier, or a list, lacks a required key.
            public static let missingKey = Kind("missingKey")
            /// A key has a value of the wrong type, or an unknown one.
            public static let wrongValue = Kind("wrongValue")
            /// A specifier has an unknown type.
            public static let unknownType = Kind("unknownType")
            /// There are more values than titles, or fewer.
            public static let countMismatch = Kind("countMismatch")
            /// A default is not one of the values, or is out of the range.
            public static let defaultValue = Kind("defaultValue")
            /// A file is missing.
            public static let missingFile = Kind("missingFile")
            /// A file is there but can't be read.
            public static let unreadableFile = Kind("unreadableFile")
            /// A pane leads back to itself or to one before it.
            public static let circularPane = Kind("circularPane")
            /// A name leads out of the bundle, or can't be a name.
            public static let unsafeName = Kind("unsafeName")
            /// A limit of bundles is exceeded.
            public static let limit = Kind("limit")
            /// A setting can't be expressed in a bundle, or only approximately.
            public static let noForm = Kind("noForm")
        }

        /// The kind of finding.
        public let kind: Kind
        /// The path of the file within the bundle, such as `Root.plist` or `de.lproj/Root.strings`; empty for the
        /// bundle itself.
        public let file: String
        /// The index of the specifier in its file, counted from 0; `nil` if it is not a specifier.
        public let index: Int?
        /// The problem and its treatment, as sentences without the path.
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
