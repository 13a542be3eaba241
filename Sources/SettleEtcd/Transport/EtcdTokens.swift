import Settle

/// The tokens of etcd's users. The storages that one transport serves share them, so a user's password is checked once,
/// however many storages there are. Checking a password costs a member a tenth of a second.
///
/// A token is valid for all members of a cluster. Callers that need one at the same time wait for one check by the
/// member that they have contacted; a silent member delays no other callers.
public final class EtcdTokens: Sendable {
    /// A user of a cluster.
    struct User: Sendable, Hashable {
        /// The endpoints, in any order: each storage may begin with another member.
        var endpoints: Set<String>
        var credentials: EtcdConfiguration.Credentials
    }

    private typealias Check = Task<Result<String?, GatewayFailure>, Never>

    private struct State {
        var tokens: [User: String] = [:]
        /// The checks in progress, by member.
        var checks: [User: [String: Check]] = [:]
    }

    private let state = LockedValue(State())

    /// Creates an empty collection.
    public init() {}

    /// Returns the user's token, obtaining one if necessary.
    ///
    /// - Parameters:
    ///   - authenticate: Has the member check the password. It runs to its end even if the caller is cancelled: others
    ///     may wait for it.
    func token(
        of user: User, at endpoint: String,
        _ authenticate: @escaping @Sendable () async -> Result<String?, GatewayFailure>
    ) async throws(GatewayFailure) -> String? {
        let (token, check) = state.withLock { state -> (String?, Check?) in
            if let token = state.tokens[user] { return (token, nil) }
            if let check = state.checks[user]?[endpoint] { return (nil, check) }
            let check = Check { [self] in
                let result = await authenticate()
                self.state.withLock { state in
                    state.checks[user]?[endpoint] = nil
                    if case .success(let token?) = result { state.tokens[user] = token }
                }
                return result
            }
            state.checks[user, default: [:]][endpoint] = check
            return (nil, check)
        }
        guard let check else { return token }
        return try await check.value.get()
    }

    /// Removes a token that was not accepted. Newer tokens stay.
    func remove(_ token: String?, of user: User) {
        state.withLock { state in
            if state.tokens[user] == token { state.tokens[user] = nil }
        }
    }
}
