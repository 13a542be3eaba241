import Settle

/// Whole actions of processes and people, one after the other, that have led to faults.
enum WholeActions {
    typealias Action = InterleavedFile.Action

    static let mended: [String: [(actor: Int, action: Action)]] = [
        // The second one's record that the file was removed is in a journal that nobody reads any more.
        "A file is removed, and the one that finds that begins the journal anew": [
            (0, .open), (2, .remove([.file])), (1, .open), (1, .set(["a": 2])), (1, .forget("a")),
        ],
        // A journal of another history is only united with what is known if it is the first of its history.
        "Files are removed, and the one that finds none begins the journal anew": [
            (0, .open), (2, .remove([.journal, .file])), (1, .open), (1, .set(["a": 2], .synced)), (1, .forget("a")),
        ],
        "Files are removed twice": [
            (0, .open), (2, .remove([.journal, .file])), (1, .open), (1, .set(["b": 2], .synced)),
            (2, .remove([.journal, .file])),
        ],
        // A journal that goes on from one which this process has skipped is taken for a backup.
        "A journal is removed, and one begins it that knows only an early one": [
            (0, .open), (1, .open), (1, .forget("a")), (2, .open), (2, .forget("a")), (2, .look),
            (2, .set(["a": 5], .synced)),
            (2, .forget("a")), (3, .remove([.journal, .file])),
        ],
        // A journal that goes on from a backup is taken for one that knew nothing else.
        "What is counted after a restore is put back by one that had the file open": [
            (0, .open), (2, .backUp([.journal])), (0, .set(["a": 2])), (0, .set(["a": 3])), (0, .set(["a": 4])),
            (0, .forget("a")), (2, .restore([.journal])), (1, .open), (1, .look), (1, .count), (1, .forget("a")),
        ],
        // Not every record has a place in the history by which a copy could be told from what was copied.
        "A copy of a journal goes on where another one ended otherwise": [
            (0, .open), (0, .set(["b": 2], .synced)), (2, .backUp([.journal, .file])), (0, .checkpoint(.resting)),
            (2, .restore([.file, .journal])), (1, .open), (1, .look), (1, .set(["b": 3], .synced)),
            (1, .set(["c": 4], .synced)),
        ],
        "One without permission unites what it can't store": [
            (0, .openToRead), (2, .remove([.journal, .file])), (1, .open), (1, .set(["c": 2])),
        ],
        // The file is one that the journal knows, and an edit for the process that has found none.
        "A file comes back": [
            (0, .open), (0, .set(["a": 2])), (2, .backUp([.file])), (0, .close), (2, .remove([.file])), (1, .open),
            (2, .restore([.file])),
        ],
        // What its history was begun from is lost when its first journal is.
        "A journal is removed, and the one that reads the file begins it anew": [
            (0, .open), (0, .count), (0, .count), (2, .remove([.journal])), (1, .open), (1, .set(["c": 2], .synced)),
            (1, .forget("c")),
        ],
        // Both of those that store again have done so once.
        "Files are removed twice, while two have them open": [
            (0, .open), (1, .open), (2, .remove([.file, .journal])), (1, .set(["a": 2], .synced)), (1, .forget("a")),
            (1, .set(["a": 3], .synced)), (2, .remove([.file, .journal])),
        ],
        // What the first one puts back counts as newer than what the second one knows.
        "Files are removed, and one that knows less stores them first": [
            (1, .open), (2, .open), (2, .set(["a": 8])), (2, .forget("b")), (2, .set(["a": 10], .synced)),
            (3, .remove([.journal, .file])), (0, .open), (0, .set(["c": 2], .synced)),
        ],
        // What the first one keeps is not what the second one's file has.
        "A file is removed, and one that finds that writes it, and it is edited": [
            (0, .open), (2, .remove([.file])), (1, .open), (1, .set(["c": 7], .synced)), (1, .checkpoint(.resting)),
            (2, .edit("b", 9)),
        ],
        // The first one takes a file that it has not seen for an edit.
        "A journal is removed, and one that has not seen the file begins it": [
            (0, .open), (1, .open), (1, .forget("c")), (1, .set(["a": 2])), (1, .checkpoint(.resting)),
            (1, .set(["a": 15], .synced)), (2, .editInPlace("b", 3)), (2, .remove([.journal])),
        ],
        // What was written there before the removal stands in a file that the first one knows.
        "A file is removed, and the one that finds that writes what it had before": [
            (0, .open), (0, .set(["n": 1])), (0, .checkpoint(.resting)), (0, .count), (2, .remove([.file])), (1, .open),
            (1, .set(["n": 1])), (1, .checkpoint(.resting)),
        ],
        "Files are removed, and the one that finds none writes what the file had": [
            (0, .open), (0, .set(["n": 1])), (0, .checkpoint(.resting)), (0, .count), (2, .remove([.file, .journal])),
            (1, .open), (1, .set(["n": 1])), (1, .checkpoint(.resting)), (1, .forget("n")),
        ],
        "A journal is removed, and the one that reads the file writes what that had": [
            (0, .open), (0, .set(["n": 1])), (0, .checkpoint(.resting)), (0, .count), (2, .remove([.journal])),
            (1, .open), (1, .set(["n": 3])), (1, .set(["n": 1])), (1, .forget("n")),
        ],
        // What it takes for an edit is in a file that the third one knows.
        "A journal is removed, and one that has not seen the file begins it, and renews it": [
            (0, .open), (2, .open), (2, .set(["b": nil])), (2, .forget("c")), (2, .checkpoint(.resting)),
            (2, .set(["b": 13])), (3, .remove([.journal])), (0, .keepHistory()), (0, .forget("c")),
        ],
        "A journal is removed, and one that knows less than the file begins it, and renews it": [
            (0, .open), (2, .open), (2, .forget("c")), (2, .set(["b": nil])), (2, .checkpoint(.resting)),
            (2, .set(["b": 13])), (3, .remove([.journal])), (0, .keepHistory()), (0, .forget("c")),
        ],
        "The same, and the file has been edited": [
            (0, .open), (2, .open), (2, .set(["a": 2])), (2, .forget("c")), (2, .set(["b": nil])), (2, .forget("c")),
            (2, .checkpoint(.resting)), (2, .set(["b": 13])), (3, .editInPlace("a", 7)), (3, .remove([.journal])),
            (0, .keepHistory()), (0, .forget("c")),
        ],
        // What the second one puts there is older than what the first one knows.
        "Files are removed, and one that knows less stores its values there, and then they are renewed": [
            (0, .open), (0, .set(["c": 6])), (2, .open), (0, .forget("c")), (0, .set(["c": 7])),
            (3, .remove([.file, .journal])), (1, .open), (1, .set(["n": 1])), (2, .look), (1, .forget("c")),
        ],
        "A journal is removed, and one that knows less stores its values there, and then they are renewed": [
            (0, .open), (0, .set(["c": 6])), (2, .open), (0, .forget("c")), (0, .set(["c": 7])),
            (3, .remove([.journal])), (1, .open), (1, .set(["n": 1])), (2, .look), (1, .forget("c")),
        ],
        // The values that are known from before the removal count only where nothing has been stored since.
        "One that has found nothing stores its values first, and then one that knows the values of before": [
            (1, .open), (1, .set(["a": 6], .synced)), (2, .remove([.journal, .file])), (0, .open),
            (0, .set(["a": 2], .synced)), (2, .remove([.journal, .file])),
        ],
        // What the first one begins with has all been stored before the second one's was begun.
        "Files are removed twice, and the first to look knows others of before": [
            (0, .open), (1, .open), (0, .forget("c")), (0, .set(["c": 7], .synced)), (2, .remove([.journal, .file])),
            (1, .set(["c": 20], .synced)), (2, .remove([.journal, .file])),
        ],
        // The second one puts there what the third one has removed since.
        "Files are removed, and each of those that have them open knows more than the one before": [
            (0, .open), (2, .open), (2, .forget("c")), (2, .set(["a": 11])), (1, .open), (2, .forget("c")),
            (2, .set(["a": nil])), (3, .remove([.journal, .file])),
        ],
        // What the first one stores again is older than what the second one has stored since it has read the file.
        "A journal is removed, and one reads the file and stores more, and then all is removed": [
            (0, .open), (0, .set(["c": 6])), (2, .remove([.journal])), (1, .open), (1, .set(["c": 10], .synced)),
            (2, .remove([.journal, .file])),
        ],
        // The third one reads there what the second one has put there, and puts its own beside that.
        "A file is removed, and one that finds that stores more, and then those who have had it open look": [
            (1, .open), (2, .open), (2, .forget("n")), (2, .set(["b": 7])), (2, .checkpoint(.resting)),
            (3, .remove([.file])), (0, .open), (0, .set(["a": 5])),
        ],
        // The second one has not seen what the first one has written between the removals.
        "Files are removed twice, and one that has not looked in between knows others of before": [
            (0, .open), (1, .open), (1, .forget("n")), (1, .set(["a": 6, "b": 7])), (2, .remove([.journal])),
            (0, .set(["b": 8, "c": 9], .synced)), (2, .remove([.journal, .file])),
        ],
        // The one that the first one begins has had fewer before it than the one that the second one knows, as a
        // backup.
        "Files are removed three times, and the first to look has not looked since before": [
            (0, .open), (1, .open), (2, .remove([.journal, .file])), (1, .set(["b": 8], .synced)),
            (2, .remove([.journal, .file])), (1, .set(["b": 9], .synced)), (1, .forget("c")),
            (2, .remove([.journal, .file])),
        ],
    ]

    /// What goes wrong: everything is removed several times, and those who have it open have not looked in between, so
    /// that nothing they know tells whose values are the newer ones.
    static let faults: [String: [(actor: Int, action: Action)]] = [
        // Each has begun one journal that the other has never seen. The first one begins the last.
        "Two store their values again and change the same one, one after the other": [
            (0, .open), (1, .open), (2, .remove([.journal, .file])), (0, .set(["c": 2], .synced)),
            (2, .remove([.journal, .file])), (1, .set(["c": 3], .synced)), (2, .remove([.journal, .file])),
        ],
        // The last one goes on behind all that the second one knows, and does not say where it left that behind.
        "One stores its values again twice, and has not seen the last ones of another": [
            (0, .open), (1, .open), (1, .forget("n")), (1, .set(["c": 7], .synced)), (2, .remove([.journal, .file])),
            (0, .set(["a": 2], .synced)), (0, .set(["a": 3], .synced)), (2, .remove([.journal, .file])),
        ],
        // What the first one has read stands in no file that the second one knows any more.
        "A journal is removed, and one that has only read the file begins it after another one has stored more": [
            (1, .open), (2, .remove([.journal])), (0, .open), (1, .set(["a": 2], .synced)),
            (1, .checkpoint(.resting)), (2, .remove([.journal, .file])),
        ],
    ]
}
