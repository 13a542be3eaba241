public import Settle
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The named bearer tokens of an API. The name is the author of the changes that are made with a token.
///
/// ```swift
/// let tokens = APITokens.setting(settings.admin.$token, name: "admin") + .folder(URL(filePath: "/run/tokens"))
/// ```
///
/// They are read for each request, and before each event of a stream. So a change takes effect at once in a setting,
/// and within a second in a folder. If a token is removed, or its rights change, its open streams send no further
/// event, and end at the latest with the next ``SettingsAPI/Configuration/heartbeat``.
public struct APITokens: Sendable {
    /// The tokens by name.
    private let read: @Sendable () -> [String: APIToken]
    /// Explains why there are none, and what to do; `nil` without more to say.
    private let explain: @Sendable () -> String?

    /// Creates tokens that a closure returns, by their names. It is called for each request.
    public init(_ read: @escaping @Sendable () -> [String: APIToken]) {
        self.init(read, explain: { nil })
    }

    private init(
        _ read: @escaping @Sendable () -> [String: APIToken], explain: @escaping @Sendable () -> String?
    ) {
        (self.read, self.explain) = (read, explain)
    }

    /// A setting with one token that permits everything. An empty one is none.
    ///
    /// - Parameters:
    ///   - token: The setting.
    ///   - name: The name of its holder.
    public static func setting(_ token: SettingReference<Secret<String>>, name: String) -> APITokens {
        APITokens({ [name: APIToken(token.value.revealed)] }, explain: { token.domains.explanation?.ofEmptyToken })
    }

    /// A setting with tokens by name.
    public static func setting(_ tokens: SettingReference<Secret<[String: APIToken]>>) -> APITokens {
        APITokens({ tokens.value.revealed }, explain: { tokens.domains.explanation?.ofEmptyToken })
    }

    /// A folder of secrets, such as one of systemd's credentials or of a Kubernetes secret: a file for each token, with
    /// its name. The folder is read again at most once a second. Names that begin with a dot are left out.
    public static func folder(_ url: URL) -> APITokens {
        let folder = TokenFolder(url)
        return APITokens(
            { folder.tokens },
            explain: { folder.tokens.isEmpty ? "The folder of tokens has none." : nil })
    }

    /// The tokens of both. Of two with one name, the first that can be accepted counts.
    public static func + (one: APITokens, other: APITokens) -> APITokens {
        APITokens(
            { one.read().filter { $0.value.isUsable }.merging(other.read()) { first, _ in first } },
            explain: {
                let reasons = [one.explain(), other.explain()].compactMap(\.self)
                return reasons.isEmpty ? nil : reasons.joined(separator: " ")
            })
    }

    /// The reason why no client is admitted; `nil` if there is a usable token.
    var reasonForNone: String? {
        guard !read().values.contains(where: \.isUsable) else { return nil }
        return "The API is closed, because no token is set. "
            + (explain() ?? "Set one with at least 16 characters; it takes effect at once.")
    }

    /// Returns the client with a token; `nil` if it is none of these. Each is compared, whatever comes before it.
    func client(with presented: Secret<String>) -> APIClient? {
        var first: (name: String, token: APIToken)?
        for (name, token) in read() where token.matches(presented) {
            if first.map({ name < $0.name }) != false { first = (name, token) }
        }
        return first.map { APIClient(name: $0.name, token: $0.token) }
    }
}

extension Explanation {
    /// The way out if the token in force is empty because of a domain that takes precedence.
    fileprivate var ofEmptyToken: String? {
        guard domain != .application, domain != .declaration else { return nil }
        // Without the path or the variable: anyone may read this.
        return
            "“\(key)” comes from the domain “\(domain)”, which takes precedence over the program's own file and has no "
            + "token: put one there, or remove it so that the file's token is used."
    }
}

/// The tokens of a folder, as they were at most a second ago.
private final class TokenFolder: Sendable {
    private struct Cache {
        var tokens: [String: APIToken] = [:]
        var time: ContinuousClock.Instant?
    }

    private let path: String
    private let cache = Mutex(Cache())

    init(_ url: URL) { path = url.path }

    var tokens: [String: APIToken] {
        let now = ContinuousClock.now
        return cache.withLock { cache in
            if let time = cache.time, time.duration(to: now) < .seconds(1) { return cache.tokens }
            cache = Cache(tokens: read(), time: now)
            return cache.tokens
        }
    }

    private func read() -> [String: APIToken] {
        var tokens: [String: APIToken] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] where !name.hasPrefix(".") {
            guard let contents = FileManager.default.contents(atPath: "\(path)/\(name)") else { continue }
            tokens[name] = APIToken(contents: Array(contents))
        }
        return tokens
    }
}
