import Settle

extension DocumentConversion {
    /// A value that a document could not keep when it was converted to another format. It has the path, and quotes no
    /// value.
    public struct Loss: Sendable, Hashable, CustomStringConvertible {
        /// An extensible kind of loss.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            public let description: String
            /// Creates a kind of your own.
            public init(_ description: String) { self.description = description }

            /// Null, which property lists lack. It is left out of a dictionary, and is an empty string in an array and
            /// at the root.
            public static let null = Kind("null")
            /// The type of a string that was a Boolean value, a number or a date: the old text form has only strings
            /// and data. True is `1` and false is `0`.
            public static let type = Kind("type")
            /// A date that is now a string: in JSON any date, as ISO 8601 or a number of seconds since 1970; in XML one
            /// outside of the years 0 to 9999; in a binary property list one that is not finite.
            public static let date = Kind("date")
            /// The fraction of a second, which dates in XML lack. The date is rounded down.
            public static let fractionOfSecond = Kind("fractionOfSecond")
            /// Data that are now a base64 string, in JSON.
            public static let data = Kind("data")
            /// A number that is not finite, and is now one of the strings `infinity`, `-infinity` and `nan`, in JSON.
            public static let notFinite = Kind("notFinite")
            /// The bits that distinguish one NaN from others, in XML.
            public static let nanBits = Kind("nanBits")
            /// An integer that is now a string, because programs read property lists with 64 bits at most, with or
            /// without a sign.
            public static let largeInteger = Kind("largeInteger")
            /// The last digits of a number that is now the nearest real, in a property list.
            public static let digits = Kind("digits")
            /// A number that is now a string, because it is larger than every real, or is not a number at all.
            public static let number = Kind("number")
        }

        /// The kind of loss.
        public let kind: Kind
        /// The replacement of the value, as a sentence without the path.
        public let reason: String
        /// The reason that the format does not hold the value, as a sentence.
        let obstacle: String

        /// The names around the value. Shared by the losses of one dictionary or array.
        private let parents: [String]
        private let name: String?

        init(_ kind: Kind, parents: [String], name: String?, obstacle: String, reason: String) {
            self.kind = kind
            self.parents = parents
            self.name = name
            self.obstacle = obstacle
            self.reason = reason
        }

        /// The path to the value: the names of dictionaries and the indices of arrays, from the outside in. Indices
        /// count from 0, in the document that was converted. Empty at the root.
        public var path: [String] { parents + (name.map { [$0] } ?? []) }

        /// The path with dots, as in `friends.0.name`. A dot in a name is escaped with a backslash. Empty at the root.
        public var key: String { path.map { SettingKey(name: $0).description }.joined(separator: ".") }

        public var description: String {
            name == nil ? reason : "Key “\(key)”: \(reason)"
        }
    }
}
