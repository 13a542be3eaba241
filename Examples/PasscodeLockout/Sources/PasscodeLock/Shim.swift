public import Settle
public protocol SecretValue {}
enum SettingsAccess { case owner }
extension SettingsStore {
    func withExclusiveAccess<R: Sendable>(named: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R) async throws -> R { try await body() }
}
