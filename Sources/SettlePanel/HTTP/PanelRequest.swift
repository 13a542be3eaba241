import Settle

/// A request to a panel, as any HTTP server has it.
public struct PanelRequest: Sendable {
    /// The method, such as `GET`, in capitals.
    public var method: String
    /// The path below ``SettingsPanel/Configuration/path``, with the query, as the request line has them:
    /// percent-encoded.
    public var target: String
    /// The fields of the header, in their order. Names are compared without regard to case.
    public var headers: [(name: String, value: String)]
    /// The whole body. A server refuses one over ``SettingsPanel/bodyLimit`` before it has read it.
    public var body: [UInt8]

    /// Creates a request.
    public init(method: String, target: String, headers: [(name: String, value: String)], body: [UInt8] = []) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// The values of a field; HTTP allows several lines of one name.
    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased().hasSameBytes(as: name) }.map(\.value)
    }

    /// The value of a field that may occur once; `nil` if it is missing or occurs more often.
    func value(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}
