import Settle

/// The revisions that settings have been stored at, and who stored them, as far as that is known.
struct EtcdOrigins: Sendable {
    private var revisions: [SettingKey: Int64] = [:]
    private var authors: [Int64: String] = [:]

    init() {}

    init(of view: ClusterView) {
        for key in view.mirror.keys { revisions[key] = view.mirror.entry(at: key)?.modRevision }
        // The marker of a client names the author of its last transaction, and the history those of the latest ones.
        for entry in view.mirror.entries.values {
            if case .marker(let marker) = entry.content { authors[entry.modRevision] = marker.author }
        }
        for record in view.recent.records {
            let names = record.transactions.compactMap(\.author.name)
            if let name = names.last { authors[Int64(clamping: record.token.position)] = name }
        }
    }

    /// Returns the newest revision at a key, within it or around it, with its author: `revision 17, by carol`.
    subscript(key: SettingKey) -> String? {
        let own = revisions[key] ?? key.parents.compactMap { revisions[$0] }.max()
        guard let revision = own ?? revisions.filter({ key.contains($0.key) }).values.max() else { return nil }
        return "revision \(revision)\(authors[revision].map { ", by \($0)" } ?? "")"
    }
}
