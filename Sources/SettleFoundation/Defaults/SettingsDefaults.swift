public import Foundation
public import Settle
import Synchronization

/// The methods of `UserDefaults` over a store, so that old code migrates by changing one line.
///
/// ```swift
/// let defaults = SettingsDefaults(store)                     // was UserDefaults.standard
/// defaults.register(defaults: ["checkInterval": 60])
/// defaults.set(3, forKey: "attemptCount")
/// ```
///
/// Its writes have the store's guarantees: atomic, followed, shared with other processes, and saved without a call. A
/// setting that a group declares is the same setting here, with its type and its rule.
///
/// A key is one name, even with dots, as in `SettingKey.path(_:_:)`; a declared setting is addressed by its key with
/// dots. Values are those of property lists. A value for which `UserDefaults` would end the program, one that a
/// declared setting refuses, and every other failed write leave the old value, and are reported on `store.issues`.
///
/// **Use a property list file**, such as `settings.plist`, where code asks for dates and data with ``object(forKey:)``:
/// JSON has neither, and returns them as strings where its journal is missing. ``data(forKey:)`` and ``url(forKey:)``
/// convert them.
public final class SettingsDefaults: NSObject, Sendable {
    /// Posted after changes of any value, from this object, the store, another domain or another process: a moment
    /// later, on a thread of the concurrency runtime, and once for several successive changes. The object is the
    /// `SettingsDefaults`. The name is that of `UserDefaults`.
    public static let didChangeNotification = UserDefaults.didChangeNotification
    /// The name of the domain for all programs of the user.
    public static let globalDomain = UserDefaults.globalDomain
    /// The name of the domain of the command line's arguments.
    public static let argumentDomain = UserDefaults.argumentDomain
    /// The name of the domain of registered defaults.
    public static let registrationDomain = UserDefaults.registrationDomain

    /// The store.
    public let store: SettingsStore
    /// The name of the store's own domain, for ``persistentDomain(forName:)``.
    public let domainName: String
    let state = Mutex(State())

    struct State: Sendable {
        var follower: Task<Void, Never>?
        /// Domains that are not searched.
        var volatile: [String: SettingTree] = [:]
        #if canImport(ObjectiveC)
            var observed: [String: ObservedKey] = [:]
        #endif
    }

    /// Creates an object over a store, and keeps the store open.
    ///
    /// - Parameters:
    ///   - store: The store. Registered defaults need `.registration` in its search list, which is added if it is
    ///     missing.
    ///   - domainName: The name of the store's own domain. By default the program's bundle identifier, or its name.
    public init(_ store: SettingsStore, domainName: String? = nil) {
        self.store = store
        self.domainName = domainName ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        let watch = ContentWatch(store)
        super.init()
        let follower = Task.detached { [weak self] in
            var watch = watch
            while await watch.changed() {
                guard let self else { return }
                self.postChange()
            }
        }
        state.withLock { $0.follower = follower }
    }

    deinit { state.withLock { $0.follower?.cancel() } }

    private func postChange() {
        #if canImport(ObjectiveC)
            notifyObservers()
        #endif
        NotificationCenter.default.post(name: Self.didChangeNotification, object: self)
    }

    #if canImport(ObjectiveC)
        public override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }

        public override func value(forKey key: String) -> Any? { object(forKey: key) }

        public override func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

        public override func addObserver(
            _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
            context: UnsafeMutableRawPointer?
        ) {
            beginObserving(keyPath)
            super.addObserver(observer, forKeyPath: keyPath, options: options, context: context)
        }
    #endif
}

extension SettingsDefaults {
    /// Returns the store's key for a name.
    func key(_ name: String) -> String { SettingKey.path(name).description }

    /// Writes, and reports the reason if that fails.
    func report(_ body: () throws -> Void) {
        do {
            try body()
        } catch let error as SettingsError {
            store.report(error)
        } catch {
            store.report(SettingsError(.encodingFailed, "\(error)", underlying: error))
        }
    }

    func refusal(of key: String, _ type: Any.Type) -> SettingsError {
        SettingsError(
            .encodingFailed,
            "“\(key)” can't be a \(type): a property list has strings, numbers, dates, data, and arrays and dictionaries of "
                + "them with strings as keys. The old value stays.",
            key: key)
    }
}
