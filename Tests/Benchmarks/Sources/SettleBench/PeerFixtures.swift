import Configuration
import Foundation

/// The other libraries that are measured for comparison.
enum PeerName {
    static let defaults = "UserDefaults"
    static let configuration = "swift-configuration"
    static let stream = "AsyncStream"
    static let sqlite = "SQLite"
}

/// A `UserDefaults` domain in its own folder.
final class DefaultsFixture: @unchecked Sendable {
    // Sendable: `UserDefaults` is documented as safe to use from every thread; the reference is constant.
    let defaults: UserDefaults
    private let suite = "settle-bench-\(UUID().uuidString)"

    init() throws {
        guard let defaults = UserDefaults(suiteName: suite) else { throw CocoaError(.featureUnsupported) }
        self.defaults = defaults
        defaults.set(1, forKey: "count")
        defaults.set(Samples.name, forKey: "name")
    }

    /// All at once, because one by one takes a minute.
    func fill(with values: [String: Int]) {
        defaults.setPersistentDomain(values, forName: suite)
    }

    deinit {
        defaults.removePersistentDomain(forName: suite)
        defaults.synchronize()
    }
}

/// A provider of swift-configuration with the measured values, and the reader that an app would use.
struct ConfigurationFixture: Sendable {
    let provider: MutableInMemoryProvider
    let reader: ConfigReader

    init() {
        provider = MutableInMemoryProvider(initialValues: [
            "count": ConfigValue(.int(1), isSecret: false), "name": ConfigValue(.string(Samples.name), isSecret: false),
        ])
        reader = ConfigReader(provider: provider)
    }
}
