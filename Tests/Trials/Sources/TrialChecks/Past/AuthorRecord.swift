/// What one of several writers, over all its processes, has tried and finished.
public struct AuthorRecord: Sendable, Hashable {
    /// The process that has tried each step.
    public private(set) var processes: [Int: Int] = [:]
    /// The commits that have returned.
    public private(set) var commits: Set<Int> = []
    /// The plain writes that were made before a commit or a flush of the same process that has returned, which has
    /// saved them.
    public private(set) var savedWrites: Set<Int> = []
    /// Plain writes of the present process that no commit has saved yet.
    private var unsaved: Set<Int> = []
    /// What was unsaved when each commit began that has not returned.
    private var pending: [Int: Set<Int>] = [:]

    public init() {}

    public var lastAttempted: Int { processes.keys.max() ?? 0 }

    public mutating func add(_ line: Acknowledgement) {
        guard let step = line.numbers.first else { return }
        switch line.word {
        case "try":
            processes[step] = line.numbers.last
            pending[step] = unsaved
        case "wrote": unsaved.insert(step)
        case "done":
            commits.insert(step)
            let saved = pending.removeValue(forKey: step) ?? []
            savedWrites.formUnion(saved)
            unsaved.subtract(saved)
        case "saved":
            savedWrites.formUnion(unsaved)
            unsaved = []
        default: break
        }
    }

    /// The process has ended.
    public mutating func end() {
        unsaved = []
        pending = [:]
    }
}
