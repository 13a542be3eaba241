import Synchronization

/// A cluster as text: what has happened at each revision.
///
///     cluster	14841639068965178418
///     2	0	/fleet/test/a	1
///     3	7587000000000000001	/fleet/test/$settle/locks/job	{…}
///     4	0	/fleet/test/a
///
/// That is the revision, the lease or 0, the key and the value, which is missing where the key was deleted.
extension FakeEtcd {
    struct LogProblem: Error {
        let line: String
    }

    var log: String {
        state.withLock { state in
            var lines = ["cluster\t\(state.cluster)"]
            for (revision, events) in state.allEvents.sorted(by: { $0.key < $1.key }) {
                for event in events {
                    let key = String(decoding: event.key, as: UTF8.self)
                    var parts = ["\(revision)", "\(event.value?.lease ?? 0)", key]
                    if let value = event.value { parts.append(String(decoding: value.bytes, as: UTF8.self)) }
                    lines.append(parts.joined(separator: "\t"))
                }
            }
            return lines.map { "\($0)\n" }.joined()
        }
    }

    /// Makes a new cluster one in which that has happened.
    func replay(_ log: String) throws {
        for line in log.split(separator: "\n") {
            let parts = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2, parts[0] == "cluster", let cluster = UInt64(parts[1]) {
                state.withLock { $0.cluster = cluster }
            } else if parts.count >= 3, let revision = Int64(parts[0]), let lease = Int64(parts[1]) {
                state.withLock {
                    $0.replay(Array(parts[2].utf8), parts.count > 3 ? Array(parts[3].utf8) : nil, lease, at: revision)
                }
            } else {
                throw LogProblem(line: String(line))
            }
        }
    }
}

extension FakeEtcd.State {
    fileprivate mutating func replay(
        _ key: FakeEtcd.Bytes, _ bytes: FakeEtcd.Bytes?, _ lease: Int64, at revision: Int64
    ) {
        let old = values[key]
        let value = bytes.map { bytes in
            FakeEtcd.Value(
                bytes: bytes, created: old?.created ?? revision, modified: revision, version: (old?.version ?? 0) + 1,
                lease: lease)
        }
        values[key] = value
        let event = FakeEtcd.Event(key: key, value: value)
        events[revision, default: []].append(event)
        allEvents[revision, default: []].append(event)
        self.revision = max(self.revision, revision)
        guard lease != 0 else { return }
        leases[lease] = 15
        lastLease = max(lastLease, lease)
    }
}
