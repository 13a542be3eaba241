import Settle

extension DocumentConversion {
    /// What a document could not keep when it was converted to another format. It names the place, and quotes no value.
    public struct Loss: Sendable, Hashable, CustomStringConvertible {
        /// An extensible kind of loss.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            public let description: String
            /// Creates a kind of your own.
            public init(_ description: String) { self.description = description }

            /// Null, which no property list has. It is left out of a dictionary, and is an empty text in an array and
            /// at the root.
            public static let null = Kind("null")
            /// That a text was a Boolean value, a number or a date: the old text form has only text and data. True is
            /// `1` and false is `0`.
            public static let type = Kind("type")
            /// A date that is a text now: in JSON any date, as ISO 8601 or a number of seconds since 1970; in XML one
            /// outside of the years 0 to 9999; in a binary property list one that is not finite.
            public static let date = Kind("date")
            /// The fraction of a second, which a date in XML has not. The date is rounded down.
            public static let fractionOfSecond = Kind("fractionOfSecond")
            /// Data that are a text in base64 now, in JSON.
            public static let data = Kind("data")
            /// A number that is not finite, and now is one of the texts `infinity`, `-infinity` and `nan`, in JSON.
            public static let notFinite = Kind("notFinite")
            /// The bits by which one NaN differs from others, in XML.
            public static let nanBits = Kind("nanBits")
            /// A whole number that is a text now, because programs read property lists with 64 bits at most, with or
            /// without a sign.
            public static let largeInteger = Kind("largeInteger")
            /// The last digits of a number that is the nearest real now, in a property list.
            public static let digits = Kind("digits")
            /// A number that is a text now, because it is larger than every real, or is not a number at all.
            public static let number = Kind("number")
        }

        /// What is lost.
        public let kind: Kind
        /// What has become of the value, as a sentence without the place.
        public let reason: String
        /// Why the format does not hold the value, as a sentence.
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

        /// Where the value is: the names of dictionaries and positions in arrays, from the outside in. Positions count
        /// from 0, in the document that was converted. Empty at the root.
        public var path: [String] { parents + (name.map { [$0] } ?? []) }

        /// The path with dots, as in `friends.0.name`. A dot in a name is escaped with a backslash. Empty at the root.
        public var key: String { path.map { SettingKey(name: $0).description }.joined(separator: ".") }

        public var description: String {
            name == nil ? reason : "Key “\(key)”: \(reason)"
        }
    }
}
