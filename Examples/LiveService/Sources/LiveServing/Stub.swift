public import Settle

public struct Secret<V: Sendable & Codable & Hashable>: SecretValue, Sendable, Codable, Hashable,
    CustomStringConvertible
{
    public var revealed: V
    public init(_ v: V) { revealed = v }
    public var description: String { "••••" }
}
struct Statistics { var changes = 0, externalChanges = 0, saves = 0, failedSaves = 0, subscribers = 0 }
extension SettingsStore { var statistics: Statistics { Statistics() } }
extension SettingReference {
    func forEachLatest(_ body: @escaping @Sendable (Value) async -> Void) async {
        for await v in self { await body(v) }
    }
}
extension SettingsGroup {
    func snapshots<R: Sendable>(_ body: @escaping @Sendable (Self) -> R) -> AsyncStream<R> {
        AsyncStream { c in c.yield(body(self)) }
    }
}
