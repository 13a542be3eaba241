/// What a follower of the history has been told, over all its lives.
public struct FollowerRecord: Sendable {
    /// The position of the snapshot that it began with; `nil` before it has one.
    public private(set) var beginning: Int?
    /// The place to go on from.
    public private(set) var token: String?
    public private(set) var told: [ToldTransaction] = []
    /// How often it was told that it had missed something, after the snapshot that it began with.
    public private(set) var holes: [String] = []

    public init() {}

    public mutating func add(_ line: Acknowledgement) {
        if let transaction = ToldTransaction(line) {
            told.append(transaction)
            token = transaction.token
        } else if line.word == "snapshot" {
            if beginning != nil {
                holes.append("A snapshot came at \(line.numbers) instead of what follows \(told.last?.position ?? -1).")
            }
            beginning = beginning ?? line.numbers.first
            token = line.text
        }
    }
}
