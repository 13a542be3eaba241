/// The protocol by which processes share a settings file and its journal, as a state and the steps that may change it.
///
/// The journal has all values; the readable file is its mirror. What the file may be stands in the journal *before* the
/// file becomes it, so that whoever finds the file knows what it has: one of the mirrors, or an edit by a person.
///
///     lock ▶ (merge an edit) ▶ append … ▶ unlock                                      storing values
///     lock ▶ mirroring V ▶ sync ▶ exchange ▶ (merge what was displaced) ▶ sync the folder ▶ mirrored V ▶ unlock
///     lock ▶ put another journal in place ▶ unlock                                    beginning it anew
///
/// ``apply(_:by:)`` refuses every other order. It is all that is known of the protocol here: ``ProtocolModel`` tries
/// all ways through it, and ``ProtocolTrace`` follows real processes.
struct ProtocolState: Hashable, Sendable {
    typealias Values = [String: Int64]

    /// A step of a process.
    enum Step: Hashable, Sendable {
        case lock, unlock
        /// Appends values; `nil` removes.
        case append([String: Int64?])
        /// Appends that the file is a version which somebody has edited, and what that has changed.
        case edited(Values?)
        /// Appends that the file is about to become a version with all values.
        case mirroring
        /// Gives the file and a new version each other's names.
        case exchange
        /// Makes the names in the folder stable.
        case syncFolder
        /// Appends that the file is a version for good.
        case mirrored(Values?)
        /// Makes the journal stable.
        case sync
        /// Makes a journal where there is none, or puts another one in its place, with all values and all that is known
        /// of the file.
        case begin(Journal)
    }

    struct Refusal: Error, CustomStringConvertible { let description: String }

    struct Journal: Hashable, Sendable {
        /// All values.
        var tree: Values
        /// How many times values were appended to it and to those before it.
        var position = 0
        /// The version that the file has for good, and behind it those that it may have instead.
        var mirrors: [Values?]
    }

    var lock: Int?
    var file: Values?
    /// What an exchange has put beside the file, until the journal says that it is over.
    var displaced: Values?
    var journal: Journal?
    /// What a loss of power leaves, if it takes all that is not synced.
    var stableFile: Values?
    var stableJournal: Journal?
    /// Whether the process that has the lock has made the names stable, since it last changed one.
    var hasStableNames = false

    init(_ values: Values) {
        (file, stableFile) = (values, values)
        journal = Journal(tree: values, mirrors: [values])
        stableJournal = journal
    }

    /// Makes a step, if the protocol allows it.
    mutating func apply(_ step: Step, by process: Int) throws(Refusal) {
        if step == .lock { return try take(process) }
        guard lock == process else { throw Refusal(description: "\(process) does not have the lock for \(step)") }
        if case .begin(let new) = step { return try begin(new) }
        if step == .unlock { return giveUp() }
        guard var new = journal else { throw Refusal(description: "There is no journal for \(step)") }
        switch step {
        case .append(let values):
            for (key, value) in values { new.tree[key] = value }
            new.position += 1
        case .edited(let version):
            // A version with known values has another text, and changes none.
            new.tree = merging(version)
            (new.mirrors, new.position) = ([version], new.position + 1)
        case .mirroring: new.mirrors.append(new.tree)
        case .exchange: return try exchange()
        case .syncFolder:
            stableFile = file
            hasStableNames = true
        case .mirrored(let version):
            guard new.mirrors.contains(version) else { throw Refusal(description: "Nobody was about to write that") }
            guard version == new.mirrors[0] || hasStableNames else {
                throw Refusal(description: "The file may be another one after a loss of power")
            }
            (new.mirrors, displaced) = ([version], nil)
        case .sync: stableJournal = new
        case .lock, .unlock, .begin: break
        }
        journal = new
    }

    private mutating func take(_ process: Int) throws(Refusal) {
        guard lock == nil else { throw Refusal(description: "\(process) can't have the lock") }
        lock = process
        hasStableNames = false
    }

    /// To be called also when a process ends.
    mutating func giveUp() { lock = nil }

    /// The version must stand in the journal, and that on stable storage: otherwise the file could be there after a
    /// loss of power, and nothing would say that it has everything.
    private mutating func exchange() throws(Refusal) {
        guard let journal, journal.mirrors.count > 1, let version = journal.mirrors.last ?? nil else {
            throw Refusal(description: "The journal does not know the new version")
        }
        guard stableJournal?.mirrors.contains(version) == true else {
            throw Refusal(description: "What the journal says of the new version is not stable")
        }
        (displaced, file) = (file, version)
        hasStableNames = false
    }

    /// A new journal has everything that the old one had, and is on stable storage before it has its name.
    private mutating func begin(_ new: Journal) throws(Refusal) {
        if let journal, journal.tree != new.tree || !Set(new.mirrors).isSuperset(of: journal.mirrors) {
            throw Refusal(description: "The new journal lacks something: \(new)")
        }
        (journal, stableJournal, stableFile) = (new, new, file)
    }

    // MARK: Reading

    /// All values with what somebody has edited in a version: those that are in none of the versions which the file may
    /// have had. If there is no file, all stay: it has been removed while a process had it open.
    func merging(_ version: Values?) -> Values {
        guard let journal, let version else { return journal?.tree ?? [:] }
        var tree = journal.tree
        for key in Set(version.keys).union(journal.mirrors.flatMap { ($0 ?? [:]).keys }) {
            if !journal.mirrors.contains(where: { $0?[key] == version[key] }) { tree[key] = version[key] }
        }
        return tree
    }

    /// What a load finds; `nil` if somebody has removed the file.
    var loaded: Values? {
        guard let journal else { return file }
        if journal.mirrors.contains(file) { return journal.tree }
        return file == nil ? nil : merging(file)
    }

    /// Whether an edit may stand beside the file, put there by a process that has not told the journal yet.
    var hidesEdit: Bool {
        guard let journal, let displaced else { return false }
        return journal.mirrors.count > 1 && !journal.mirrors.contains(displaced)
    }
}
