import Foundation
public import Settle
import Synchronization

/// A program's values in `UserDefaults`, as a live domain of a search list.
///
/// ```swift
/// let old = UserDefaultsSource(domain: "com.example.app")
/// let store = try await SettingsStore.open("com.example.app", searching: [.application, .source("UserDefaults", old)])
/// ```
///
/// It is read-only. Changes that this program makes in `UserDefaults` are seen at once where
/// `UserDefaults.didChangeNotification` is posted: on Apple platforms for each change, elsewhere when a whole domain is
/// replaced. Call ``reload()`` when another program has changed it.
///
/// A number, date or switch may be stored as text, as by a text field of a settings bundle or by `defaults write`
/// without a type. Otherwise values must have the types of the settings, since there is no conversion as in
/// ``UserDefaultsImport``. A key with dots is one name, which a declared setting with that key finds.
public final class UserDefaultsSource: DomainSource {
    private let domain: String
    private let observation = Mutex(Observation())

    private struct Observation: ~Copyable {
        var changed: (@Sendable () -> Void)?
        var token: (any NSObjectProtocol)?
    }

    /// Creates a source.
    ///
    /// - Parameter domain: The name of the domain: on Apple platforms a bundle identifier, elsewhere the name of the
    ///   program.
    public init(domain: String) { self.domain = domain }

    public func load() async throws(StorageError) -> DomainContents {
        let (entries, refused) = SettingValue.entries(UserDefaults.standard.persistentDomain(forName: domain) ?? [:])
        return DomainContents(
            SettingTree(entries), isText: true,
            problems: refused.map { "\(place(of: .path($0))) has a value that a property list cannot store." })
    }

    public func watch(_ changed: @escaping @Sendable () -> Void) {
        observation.withLock { observation in
            observation.changed = changed
            observation.token = NotificationCenter.default.addObserver(
                forName: UserDefaults.didChangeNotification, object: nil, queue: nil
            ) { note in
                // The notifications of stores have the same name.
                if !(note.object is SettingsDefaults) { changed() }
            }
        }
        // Something may have changed since the first load.
        changed()
    }

    /// Loads the domain again, after a change without a notification.
    public func reload() { observation.withLock { $0.changed }?() }

    public func place(of key: SettingKey) -> String { "the key “\(key)” of “\(domain)” in UserDefaults" }

    public func close() async {
        observation.withLock { observation in
            if let token = observation.token { NotificationCenter.default.removeObserver(token) }
            (observation.changed, observation.token) = (nil, nil)
        }
    }
}
