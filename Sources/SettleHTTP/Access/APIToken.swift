import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A bearer token, and what the client that has it may do.
///
/// Where it is stored, it is a text, which permits everything, or an object:
///
/// ```json
/// {"token": "5c9ec2ce2a755cb58443c10b823e32ad", "access": "read", "keys": ["limits", "logging.level"]}
/// ```
///
/// A token has at least 16 ASCII characters without spaces. Others are never accepted. An object with a member of
/// another name is not valid: a misspelt `access` must not give more rights.
public struct APIToken: Sendable, Hashable, Codable {
    /// The rights of a client.
    public enum Access: String, Sendable, Hashable, Codable {
        /// It may only read, and check values.
        case read
        /// It may change settings as well.
        case write
    }

    /// The token.
    public var token: String
    /// The rights of the client.
    public var access: Access
    /// The keys of the settings and groups that the client may read and change, as the groups declare them; `nil` for
    /// all.
    public var keys: [String]?

    /// Creates a token.
    public init(_ token: String, access: Access = .write, keys: [String]? = nil) {
        (self.token, self.access, self.keys) = (token, access, keys)
    }

    private enum CodingKeys: String, CodingKey { case token, access, keys }

    /// The name of any member.
    private struct MemberName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    public init(from decoder: any Decoder) throws {
        if let token = try? decoder.singleValueContainer().decode(String.self) {
            self.init(token)
            return
        }
        let names = try decoder.container(keyedBy: MemberName.self).allKeys
        guard names.allSatisfy({ CodingKeys(stringValue: $0.stringValue) != nil }) else {
            // Without the name, which may be a token in the wrong position.
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "A token has only the members token, access and keys."))
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .token),
            access: try container.decodeIfPresent(Access.self, forKey: .access) ?? .write,
            keys: try container.decodeIfPresent([String].self, forKey: .keys))
    }

    /// Reads the contents of a file: a token, or the JSON of an object. An object that is not valid has no token.
    init(contents: [UInt8]) {
        let text = String(decoding: contents, as: UTF8.self).split(whereSeparator: \.isNewline).joined(separator: "\n")
        let trimmed = text.drop(while: \.isWhitespace)
        guard trimmed.first == "{" else {
            self.init(String(trimmed.prefix { !$0.isWhitespace }))
            return
        }
        self = (try? JSONDecoder().decode(APIToken.self, from: Data(contents))) ?? APIToken("")
    }

    /// Whether it is long enough to be accepted, and fits into a header.
    var isUsable: Bool { token.utf8.count >= 16 && token.utf8.allSatisfy { (33...126).contains($0) } }

    /// Whether a client has sent this token. Secrets are compared in constant time.
    func matches(_ presented: Secret<String>) -> Bool {
        Secret(token) == presented && isUsable
    }
}
