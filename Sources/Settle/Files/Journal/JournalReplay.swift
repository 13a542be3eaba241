/// Determines which batches of a journal the file lacks, and applies them.
package struct JournalReplay: Sendable {
    package enum Match: Sendable, Hashable {
        /// The file is as the journal left it: the last checkpoint, a later checkpoint that was never confirmed, or a
        /// later edit that was merged.
        case current
        /// The file is a version from before the last checkpoint: it was put back. It counts as edited.
        case known
        /// The file is a version that the journal does not know: it was changed while no store was watching.
        case edited
    }

    package let match: Match
    /// The batches that the file lacks, in order. If it was edited: everything since the last checkpoint.
    package let batches: [JournalBatch]

    /// - Parameters:
    ///   - records: The journal's records, in order.
    ///   - file: The file's current version.
    package init(records: [(offset: Int, record: JournalRecord)], file: FileVersion) {
        let base = LastCheckpoint(records[...])
        let candidate = records[base.index...].reversed().lazy.compactMap { record -> Int? in
            switch record.record.content {
            case .checkpoint(file, let coveredEnd): coveredEnd
            case .edited(file, _): base.coveredEnd
            default: nil
            }
        }.first
        if let coveredEnd = candidate ?? (base.version == file ? base.coveredEnd : nil) {
            match = .current
            batches = Self.batches(records, since: coveredEnd)
        } else {
            match = Self.batches(from: file, in: records) == nil ? .edited : .known
            batches = Self.batches(records, since: base.coveredEnd)
        }
    }

    /// All batches since the file was a version; `nil` if the journal does not mention the version.
    package static func batches(
        from version: FileVersion, in records: [(offset: Int, record: JournalRecord)]
    ) -> [JournalBatch]? {
        coveredEnd(of: version, in: records).map { batches(records, since: $0) }
    }

    /// The offset before which a version contains every batch; `nil` if the journal does not mention the version.
    package static func coveredEnd(
        of version: FileVersion, in records: [(offset: Int, record: JournalRecord)]
    ) -> Int? {
        for index in records.indices.reversed() {
            switch records[index].record.content {
            case .checkpoint(version, let coveredEnd), .checkpointed(version, let coveredEnd): return coveredEnd
            case .edited(version, _):
                // The edited file may have lacked earlier batches, so only the last checkpoint counts.
                return LastCheckpoint(records[..<index]).coveredEnd
            default: continue
            }
        }
        return nil
    }

    private static func batches(
        _ records: [(offset: Int, record: JournalRecord)], since coveredEnd: Int
    ) -> [JournalBatch] {
        records.compactMap { $0.offset >= coveredEnd ? $0.record.batch : nil }
    }
}

/// The last checkpoint known to have succeeded. A journal begins without one, when there is no file.
private struct LastCheckpoint {
    var version = FileVersion.absent
    var coveredEnd = 0
    /// The index of the first record after it.
    var index: Int

    init(_ records: ArraySlice<(offset: Int, record: JournalRecord)>) {
        index = records.startIndex
        for position in records.indices.reversed() {
            if case .checkpointed(let version, let coveredEnd) = records[position].record.content {
                self.version = version
                self.coveredEnd = coveredEnd
                index = position + 1
                return
            }
        }
    }
}
