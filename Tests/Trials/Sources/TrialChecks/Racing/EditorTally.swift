/// What became of the edits, and of the program's own writes meanwhile.
public struct EditorTally: Sendable {
    public var edits = 0
    /// Edits that were repeated because the file was replaced while the editor wrote.
    public var repeated = 0
    public var unpublished = 0
    public var mistakes = 0
    public var unreported = 0
    public var overwritten = 0
    public var lastEdit = 0
    public var lastWrite = 0
    public var problems = Problems()
    private var lostEdits = 0
    private var lostWrites = 0

    public init() {}

    /// Compares the final state.
    public mutating func compare(edit: Int, write: Int) {
        if edit != lastEdit {
            lostEdits += 1
            problems.add("The edited setting is \(edit) at the end, not \(lastEdit).")
        }
        if write != lastWrite {
            lostWrites += 1
            problems.add("The written setting is \(write) at the end, not \(lastWrite).")
        }
    }

    public var figures: [Figure] {
        [
            Figure("edits", edits), Figure("made again", repeated), Figure("writes meanwhile", lastWrite),
            .loss("edits not published", unpublished), .loss("edits lost at the end", lostEdits),
            .loss("writes lost at the end", lostWrites), Figure("invalid edits", mistakes),
            .loss("reported without line and column", unreported), .loss("overwritten", overwritten),
            .loss("failures", problems.count(of: .failure)),
        ]
    }
}
