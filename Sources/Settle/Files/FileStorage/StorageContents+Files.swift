extension StorageContents.Outcome {
    /// Returns the outcome of an edit that was found together with a journal whose end is missing. After a crash it
    /// looks the same, but the values that were saved last may be missing.
    static func torn(_ names: FileNames) -> StorageContents.Outcome {
        .recovered(
            description:
                "“\(names.file)” has been edited, and the end of its journal is missing. The edit and everything in "
                + "the journal are used; the changes saved last may be missing.", isComplete: false)
    }

    static func removed(_ names: FileNames, leaving tree: SettingTree, _ evidence: String) -> StorageContents.Outcome {
        let keys = tree.root.keys.sorted().joined(separator: ", ")
        let exception = keys.isEmpty ? "" : ", except those in the journal (\(keys))"
        return .removed(
            description: "“\(names.file)” has been removed: \(evidence). Every setting has its default\(exception).")
    }

    /// Returns the outcome of a damaged file.
    ///
    /// - Parameter hasEarlier: Whether the previous version is used.
    static func damaged(
        _ names: FileNames, _ damage: any Error, hasEarlier: Bool, _ found: LoadedValues
    ) -> StorageContents.Outcome {
        let keys = found.keys.map(\.description).joined(separator: ", ")
        let what =
            switch (found.isComplete, hasEarlier) {
            case (true, _):
                "Edits made only in the damaged file are not in force. Apart from them, every setting has its newest "
                    + "value."
            case (false, false):
                "There is no earlier version, so every setting"
                    + (keys.isEmpty ? "" : " but those in the journal (\(keys))")
                    + " has its default."
            case (false, true):
                keys.isEmpty
                    ? "The previous version is used, so settings that were saved only in the damaged one have their earlier values."
                    : "The previous version is used, with the values in the journal (\(keys)). So the values may "
                        + "differ in age."
            }
        return .recovered(
            description:
                "“\(names.file)” is damaged. \(damage) \(what) The damaged file is set aside before it is written again.",
            isComplete: found.isComplete)
    }

    /// Returns the same without the state file. A removed settings file matters more.
    ///
    /// - Parameter isComplete: Whether the journal has everything that the state file had, as far as anything shows.
    func with(_ loss: LoadedValues.StateLoss, of names: FileNames, isComplete: Bool) -> StorageContents.Outcome {
        var sentence = "“\(names.state)” "
        switch loss {
        case .removed: sentence += "has been removed. "
        case .damaged(let damage): sentence += "is damaged, and is set aside before it is written again. \(damage) "
        }
        sentence +=
            isComplete
            ? "Its values are in the journal."
            : "The journal is incomplete, so some values may be lost or out of date."
        return switch self {
        case .removed: self
        case .absent, .intact: .recovered(description: sentence, isComplete: isComplete)
        case .recovered(let description, let isRest):
            .recovered(description: "\(description) \(sentence)", isComplete: isRest && isComplete)
        }
    }

    /// Returns the same with the losses of a damaged journal.
    func with(_ log: JournalReading, of names: FileNames, isComplete: Bool) -> StorageContents.Outcome {
        var sentence = log.description(names.journal)
        if case .recovered(let description, _) = self { sentence = description + " " + sentence }
        return .recovered(description: sentence, isComplete: isComplete)
    }
}

extension JournalReading {
    /// Returns sentences about the losses of a damaged journal.
    func description(_ path: FilePath) -> String {
        if isUnusable { return "The journal “\(path)” is damaged from its first byte on, so nothing in it is used." }
        let keys = Set(damage.flatMap { $0.keys ?? [] }).sorted()
        let unnamed = damage.count { $0.keys == nil }
        var sentence = "The journal “\(path)” is damaged. "
        if !keys.isEmpty {
            sentence += "These keys have earlier values: \(keys.map(\.description).joined(separator: ", ")). "
        }
        if unnamed > 0 {
            sentence += "The keys of \(unnamed == 1 ? "one of its records" : "\(unnamed) of its records") are unknown. "
        }
        return sentence + "Everything else in it is used."
    }
}
