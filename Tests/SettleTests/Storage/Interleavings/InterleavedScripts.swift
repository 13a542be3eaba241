import Settle

/// Short scripts, of which all schedules are tried.
enum InterleavedScripts {
    typealias Action = InterleavedFile.Action

    static let all = stored.merging(byHand) { $1 }.merging(renewed) { $1 }

    /// Processes that store values and write the file.
    private static let stored: [String: [[Action]]] = [
        "two that append": [[.open, .set(["a": 2])], [.open, .set(["a": 3]), .look]],
        "two that open": [[.open, .set(["b": 5], .synced)], [.open, .checkpoint(.resting)]],
        "one that writes the file": [[.open, .set(["a": 2]), .checkpoint(.resting)], [.open, .set(["b": 3]), .look]],
        "two that write the file": [
            [.open, .set(["a": 2]), .checkpoint(.resting)], [.open, .set(["b": 3]), .checkpoint(.resting)],
        ],
        "two that count": [[.open, .count], [.open, .count]],
        "one that is killed": [
            [.open, .set(["a": 2]), .checkpoint(.resting)], [.open, .set(["b": 3]), .look], [.kill(0)],
        ],
        "a loss of power": [
            [.open, .set(["a": 2], .synced), .checkpoint(.resting)], [.open, .set(["b": 3])], [.losePower],
        ],
        "one that reads": [[.open, .set(["a": 2]), .checkpoint(.resting)], [.open, .look, .look]],
        "one that may not write": [[.open, .set(["a": 2]), .checkpoint(.resting)], [.openToRead, .look]],
    ]

    /// People that edit, remove and restore files.
    private static let byHand: [String: [[Action]]] = [
        "a person": [[.open, .set(["a": 2]), .checkpoint(.resting)], [.open, .look], [.edit("b", 7)]],
        "a person and a removal": [[.open, .set(["a": 2]), .checkpoint(.resting), .look], [.edit("b", 7)]],
        "an old text": [[.open, .set(["a": 2]), .checkpoint(.resting), .look], [.openEditor, .saveEditor("b", 7)]],
        "a journal that is removed": [
            [.open, .set(["a": 2]), .look], [.open, .set(["b": 3]), .look], [.remove([.journal])],
        ],
        "a file that is removed": [
            [.open, .set(["a": 2]), .checkpoint(.resting)], [.open, .set(["b": 3]), .look], [.remove([.file])],
        ],
        "a folder that is moved away": [
            [.open, .set(["a": 2]), .look], [.open, .set(["b": 3]), .look], [.moveFolderAway],
        ],
        "a backup": [
            [.open, .set(["a": 2], .synced), .look], [.open, .look],
            [.backUp([.journal, .file]), .restore([.journal, .file])],
        ],
        "a backup of the file": [
            [.open, .set(["a": 2]), .checkpoint(.resting), .set(["a": 3])], [.open, .look],
            [.backUp([.file]), .restore([.file])],
        ],
        "a backup of the journal": [
            [.open, .set(["a": 2]), .checkpoint(.resting)], [.open, .set(["b": 3])],
            [.backUp([.journal]), .restore([.journal])],
        ],
    ]

    /// Journals that are begun anew, and histories that are kept and forgotten.
    private static let renewed: [String: [[Action]]] = [
        "a new journal while another one appends": [
            [.open, .set(["a": 2]), .forget("a")], [.open, .set(["b": 3], .synced), .look],
        ],
        "two new journals": [[.open, .set(["a": 2]), .forget("a")], [.open, .set(["b": 3]), .forget("b")]],
        "a new journal while another one counts": [[.open, .forget("a"), .count], [.open, .count, .look]],
        "a new journal while another one reads": [
            [.open, .set(["a": 2]), .forget("a"), .set(["b": 3])], [.openToRead, .look],
        ],
        "a new journal while others append and open": [
            [.open, .set(["a": 2]), .forget("a")], [.open, .set(["b": 3]), .look], [.open, .look],
        ],
        "a new journal, and one that is killed": [
            [.open, .set(["a": 2], .synced), .forget("a")], [.open, .set(["b": 3], .synced)], [.kill(0)],
        ],
        "a new journal, and a loss of power": [
            [.open, .set(["a": 2], .synced), .forget("a"), .set(["a": 3], .synced)], [.open, .set(["b": 3], .synced)],
            [.losePower],
        ],
        "a new journal, and an edit": [[.open, .set(["a": 2]), .forget("a"), .look], [.edit("b", 7)]],
        "a history": [[.open, .keepHistory(), .set(["a": 2]), .look], [.open, .set(["b": 3]), .look]],
        "a history, and a journal that is removed": [
            [.open, .keepHistory(), .set(["a": 2]), .look], [.open, .set(["b": 3]), .look], [.remove([.journal])],
        ],
        "a history that is given up": [
            [.open, .keepHistory(), .set(["a": 2]), .keepHistory(.none)], [.open, .set(["b": 3], .synced), .look],
        ],
        "a secret": [
            [.open, .keepHistory(), .set(["a": 2]), .withhold("a")], [.open, .set(["b": 3, "a": 4], .synced), .look],
        ],
        "earlier values that are erased": [
            [.open, .set(["a": 2]), .checkpoint(.erasing)], [.open, .set(["b": 3], .synced), .look],
        ],
    ]
}
