import Settle
import Synchronization

/// Remembers the representations of settings until something in the store changes.
///
/// It holds only bytes that are the same for every client: access is checked for each request.
final class RepresentationCache: Sendable {
    /// The state of a store. As long as it is the same, so are the declaration, the value and the domain of a setting.
    struct Version: Sendable, Equatable {
        let token: ChangeToken?
        private let contents: UInt64

        /// - Returns: `nil` inside a transaction, which reads its own writes.
        init?(of store: SettingsStore) {
            token = store.history.token
            // Before the values: a change in between gives the store another version than that of what is remembered.
            guard let contents = store.keys.version else { return nil }
            self.contents = contents
        }
    }

    private struct State {
        var version: Version?
        /// Two texts that are equal need not be the same key, so each representation has its key.
        var known: [String: (key: String, representation: Representation)] = [:]
    }

    /// The size of the largest body that is remembered, in bytes.
    private static let sizeLimit = 4 << 10
    private let state = Mutex(State())

    func representation(of key: String, at version: Version) -> Representation? {
        state.withLock { state in
            guard state.version == version, let known = state.known[key], known.key.hasSameBytes(as: key) else {
                return nil
            }
            return known.representation
        }
    }

    func remember(_ representation: Representation, of key: String, at version: Version) {
        guard representation.size <= Self.sizeLimit else { return }
        state.withLock { state in
            if state.version != version { state = State(version: version) }
            state.known[key] = (key, representation)
        }
    }
}
