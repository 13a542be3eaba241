import Settle

/// A request to a panel, in a form that any HTTP server can provide.
public struct PanelRequest: Sendable {
    /// The method, such as `GET`, in capitals.
    public var method: String
    /// The path below ``SettingsPanel/Configuration/path``, with the query, as in the request line: percent-encoded.
    public var target: String
    /// The header fields, in order. Names are compared without regard to case.
    public var headers: [(name: String, value: String)]
    /// The whole body. Of a body over ``SettingsPanel/bodyLimit``, a server must pass at least one byte more than the
    /// limit, or answer with 413 itself: exactly the limit's bytes of it would look like a whole body, and a list in it
    /// would be stored without its last entries.
    public var body: [UInt8]
    /// The name of the user whom the server has authenticated, under which changes are stored; `nil` by default. It
    /// counts with ``SettingsPanel/Configuration/Access/everyone`` only.
    public var user: String?

    /// Creates a request.
    public init(method: String, target: String, headers: [(name: String, value: String)], body: [UInt8] = []) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// Returns the values of a field; HTTP allows several lines with one name.
    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased().hasSameBytes(as: name) }.map(\.value)
    }

    /// Returns the value of a field that may occur once; `nil` if it is missing or occurs more often.
    func value(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}
