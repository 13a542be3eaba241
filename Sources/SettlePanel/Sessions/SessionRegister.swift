import Settle
import SettleHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The open sessions and the spent links of a key. All panels with that key share it, in other processes too, and a
/// restart does not forget it.
///
/// A session counts only while it is registered, so ending one takes effect at once, whatever cookies a browser has
/// saved. A link is spent and its session registered in one transaction, which is serial across processes: a link lets
/// in once.
actor SessionRegister {
    /// `nil` for a key that exists only as long as the program.
    private let file: URL?
    private var list: SessionList?

    init(file: URL?) { self.file = file }

    /// Returns the list, and opens its store if this is the first request for it.
    ///
    /// - Throws: ``PanelError`` if the file can't be opened. No user is admitted then.
    func opened() async throws(PanelError) -> SessionList {
        if let list { return list }
        let new: SessionList
        do {
            let store =
                if let file {
                    // Only the file counts: no argument and no environment variable may add a session.
                    try await SettingsStore.open(at: file, searching: [.application])
                } else {
                    try await SettingsStore.open(storage: InMemoryStorage())
                }
            new = try await store.group(SessionList.self)
        } catch {
            throw PanelError("The sessions of the panel can't be read. \(error)")
        }
        // Another request may have been faster.
        if let list { return list }
        list = new
        return new
    }
}

/// The contents of a ``SessionRegister``.
struct SessionList: SettingsGroup {
    static let access = SettingsAccess.owner

    /// The sessions by their identifier.
    @Setting var sessions: [String: SessionRecord] = [:]
    /// The end of each spent link, by its identifier. After that, its signature no longer counts.
    @Setting var spentLinks: [String: Int] = [:]
}

/// The recorded data of a session. Times are whole seconds since 1970.
struct SessionRecord: Codable, Sendable, Hashable {
    /// The name for which the link was made, if it was made for one.
    var name: String?
    /// The browser, as it names itself.
    var browser: String?
    var began: Int
    /// The end, unless the session is renewed.
    var end: Int

    /// Returns the time after which it is not renewed. The file may have any number as the beginning.
    func lastEnd(limit: Int) -> Int {
        let (end, isTooLarge) = began.addingReportingOverflow(limit)
        return isTooLarge ? (began > 0 ? .max : .min) : end
    }
}

/// The session of an admitted request.
struct AdmittedSession: Sendable {
    let id: String
    let record: SessionRecord
    /// The time that it lasts from the request on, unless it is renewed.
    let lifetime: Duration
    fileprivate let list: SessionList

    init(_ id: String, _ record: SessionRecord, in list: SessionList, lifetime: Duration) {
        (self.id, self.record, self.list, self.lifetime) = (id, record, list, lifetime)
    }

    /// Whether it has not been ended.
    var isOpen: Bool { list.sessions[id] != nil }
}
