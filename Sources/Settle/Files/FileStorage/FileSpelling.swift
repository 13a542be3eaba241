/// The spelling of a settings file: its path, format and size limit.
///
/// Pure.
struct FileSpelling: Sendable {
    /// The path as given, before links are followed.
    let path: FilePath
    /// The format asked for, if one was.
    let chosen: FileFormat?
    /// The format in which the file is written.
    var format: FileFormat
    /// The maximum size of the file in bytes.
    var sizeLimit = FileSession.sizeLimit

    init(_ path: FilePath, chosen: FileFormat?) {
        self.path = path
        self.chosen = chosen
        format = chosen ?? .json
    }

    /// Whether the name implies a format, or one was asked for.
    var isKnown: Bool { chosen != nil || formatByName != nil }

    private var formatByName: FileFormat? { FileFormat(fileName: path.name) }

    /// - Parameter bytes: Those of the current file.
    func format(toReplace bytes: [UInt8]?) -> FileFormat {
        chosen ?? bytes.flatMap { format(of: $0) } ?? formatByName ?? .json
    }

    func decode(_ bytes: [UInt8]) throws -> SettingTree {
        try (format(of: bytes) ?? chosen ?? formatByName ?? .json).decode(bytes)
    }

    private func format(of bytes: [UInt8]) -> FileFormat? {
        let format = FileFormat.detect(bytes)
        return format == .json && chosen == .strictJSON ? chosen : format
    }

    /// - Parameters:
    ///   - file: The file whose spelling stays where it already has these values; `nil` for a new file.
    ///   - state: Knows where a version of the file has others.
    func encode(
        _ tree: SettingTree, into file: FileReading? = nil, _ state: JournalState? = nil
    ) throws(StorageError) -> [UInt8] {
        let text = file.flatMap { format(of: $0.bytes) == format ? $0 : nil }
        let old = text.flatMap { text in
            state.flatMap { state in state.mirror(text.version).map { Self.places(in: $0.difference, state.stateFile) }
            }
        }
        let bytes: [UInt8]
        do throws(FormatError) {
            if let text {
                bytes = try format.encode(tree, into: text.bytes, changing: old)
            } else {
                bytes = try format.encode(tree)
            }
        } catch {
            throw StorageError(.unsupportedValue, "“\(path)” can't hold one of its values. \(error)")
        }
        assert(bytes.count > 1 << 16 || isSpelling(bytes, of: tree), "The file would have other values.")
        guard bytes.count <= sizeLimit else { throw .tooLarge(path, toHold: bytes.count) }
        return bytes
    }

    /// Returns the keys at which a version of the file may have other values, with these values. Keys that have become
    /// state are included.
    private static func places(
        in difference: MirrorDifference, _ stateFile: StateFile
    ) -> [SettingKey: SettingValue?] {
        var places = difference.values
        for key in stateFile.keys where places[key] == nil {
            // A dictionary that is one entry may have state in it.
            if !key.parents.contains(where: { places[$0] != nil }) { places[key] = .some(nil) }
        }
        return places
    }

    /// Returns whether a file has the values of a tree, as far as its format can distinguish them.
    func isSpelling(_ bytes: [UInt8], of tree: SettingTree) -> Bool {
        guard let read = try? decode(bytes), let fresh = try? decode(format.encode(tree)) else { return false }
        return TreeDifference(from: fresh, to: read, isSame: isSpelledAlike).isEmpty
    }

    /// Returns whether two values are equal, or the file would have the same bytes for them, as for a date and its
    /// spelling in JSON.
    func isSame(_ one: SettingValue?, _ other: SettingValue?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one == other || isSpelledAlike(one, other)
    }

    func isSpelledAlike(_ one: SettingValue, _ other: SettingValue) -> Bool {
        guard let bytes = try? format.encode(SettingTree(["value": one])) else { return false }
        return bytes == (try? format.encode(SettingTree(["value": other])))
    }

    /// Refuses a batch that no checkpoint could ever write.
    func check(_ batch: StorageBatch) throws(StorageError) {
        for (key, value) in batch.values {
            guard let value else { continue }
            do throws(FormatError) {
                try StorableCheck.check(value, at: key, as: format)
            } catch {
                throw StorageError(.unsupportedValue, "“\(path)” can't hold the value of “\(key)”. \(error)")
            }
        }
    }
}
