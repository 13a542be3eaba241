/// A request in a form that any HTTP server can provide, for a ``SettingsAPI`` or a panel.
public struct WebRequest: Sendable {
    /// The method, such as `GET`, in capitals.
    public var method: String
    /// The path below that of the API or the panel, with the query, as in the request line: percent-encoded.
    public var target: String
    /// The header fields, in order. Names are compared without regard to case.
    public var headers: [(name: String, value: String)]
    /// The whole body. Of a body over the limit of the API or the panel, a server must pass at least one byte more than
    /// the limit, or answer with 413 itself: exactly the limit's bytes of it would look like a whole body, and a list in
    /// it would be stored without its last entries.
    public var body: [UInt8]
    /// The name of the user whom the server has authenticated, under which changes are stored; `nil` by default. It
    /// counts only where the configuration leaves access to the server.
    public var user: String?
    /// The address of the client, for logs; `nil` by default.
    public var peer: String?

    /// Creates a request.
    public init(method: String, target: String, headers: [(name: String, value: String)], body: [UInt8] = []) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// Returns the values of a field; HTTP allows several lines with one name.
    ///
    /// - Parameter name: The name in lowercase.
    package func values(of name: String) -> [String] {
        var values: [String] = []
        for field in headers where field.name.isName(name) { values.append(field.value) }
        return values
    }

    /// Returns the value of a field that may occur once; `nil` if it is missing or occurs more often.
    ///
    /// - Parameter name: The name in lowercase.
    package func value(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}

extension String {
    /// Whether it is the name of a field, in any case. Names are ASCII.
    ///
    /// - Parameter name: The name in lowercase.
    fileprivate func isName(_ name: String) -> Bool {
        utf8.count == name.utf8.count
            && zip(utf8, name.utf8).allSatisfy { byte, letter in
                byte == letter || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == letter
            }
    }
}
