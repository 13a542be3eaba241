public import Settle
public struct Secret<V: Sendable & Codable & Hashable>: SecretValue, Sendable, Codable, Hashable, CustomStringConvertible {
    public var revealed: V
    public init(_ v: V) { revealed = v }
    public var description: String { "••••" }
}
public struct Statistics { public var changes = 0, externalChanges = 0, saves = 0, failedSaves = 0, subscribers = 0 }
extension SettingsStore { public var statistics: Statistics { Statistics() } }
