import Settle

extension InterleavedFile {
    enum Action: Sendable {
        case open
        /// Opens the file without permission to write.
        case openToRead
        /// Appends values; `nil` removes.
        case set([String: Int64?], StorageDurability = .buffered)
        /// Adds one to `n` under the lock of a transaction.
        case count
        case checkpoint(CheckpointReason)
        /// Merges what others have done.
        case look
        case keepHistory(HistoryPolicy = .keep())
        case withhold(String)
        case forget(String)
        case close
        /// Waits until so many steps have been made.
        case sleep(Int)

        /// In one step, as by an editor that has read the file a moment ago.
        case edit(String, Int64?)
        /// The same without another file.
        case editInPlace(String, Int64?)
        /// Reads the file, to be saved later whatever has become of it.
        case openEditor
        case saveEditor(String, Int64?)
        /// Removes files, one after the other.
        case remove([Gone])
        case moveFolderAway
        /// Copies all files, one after the other, in an order of one's own.
        case backUp([Gone])
        /// Puts copies in the place of files, one after the other.
        case restore([Gone], inPlace: Bool = false)
        case kill(Int)
        case losePower
    }

    enum Gone: Sendable, CaseIterable { case file, journal, previous }
}

extension InterleavedFile.Action {
    /// Whether a process may find that something is missing which it has just made.
    var letsCallsFail: Bool {
        switch self {
        case .moveFolderAway: true
        case .remove(let files): files.contains(.previous)
        default: false
        }
    }

    var isClose: Bool { if case .close = self { true } else { false } }

    func kills(_ actor: Int) -> Bool {
        switch self {
        case .kill(let other): other == actor
        case .losePower: true
        default: false
        }
    }

    /// Whether it is of a process that changes nothing.
    var isReading: Bool {
        switch self {
        case .open, .openToRead, .look, .close, .sleep: true
        default: false
        }
    }

    /// Whether it is an action of people.
    var isByHand: Bool {
        switch self {
        case .edit, .editInPlace, .openEditor, .saveEditor, .remove, .moveFolderAway, .backUp, .restore: true
        default: false
        }
    }

    /// An edit of some keys as one of another key.
    func editing(_ other: String, insteadOf keys: Set<SettingKey>) -> Self {
        switch self {
        case .edit(let key, let value) where keys.contains(.path(key)): .edit(other, value)
        case .editInPlace(let key, let value) where keys.contains(.path(key)): .editInPlace(other, value)
        case .saveEditor(let key, let value) where keys.contains(.path(key)): .saveEditor(other, value)
        default: self
        }
    }

    var isKill: Bool { if case .kill = self { true } else { false } }

    var isInPlace: Bool {
        switch self {
        case .editInPlace, .restore(_, inPlace: true): true
        default: false
        }
    }

    /// Whether it may take back what has been counted.
    var changesNumber: Bool {
        switch self {
        case .saveEditor, .remove, .moveFolderAway, .restore: true
        case .set(let values, _): values.keys.contains("n")
        default: false
        }
    }
}
