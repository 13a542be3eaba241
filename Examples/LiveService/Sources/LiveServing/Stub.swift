public import Settle
public struct Secret<V: Sendable & Codable & Equatable>: SecretValue, Sendable, Codable, Equatable, CustomStringConvertible {
    public var revealed: V
    public init(_ v: V) { revealed = v }
    public var description: String { "••••" }
    public init(from d: any Decoder) throws { revealed = try d.singleValueContainer().decode(V.self) }
    public func encode(to e: any Encoder) throws { var c = e.singleValueContainer(); try c.encode(revealed) }
}
