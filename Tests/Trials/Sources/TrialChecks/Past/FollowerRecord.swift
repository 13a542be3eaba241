/// The transactions that a follower of the history has received, over all its lives.
public struct FollowerRecord: Sendable {
    /// The position of the snapshot that it began with; `nil` before it has one.
    public private(set) var beginning: Int?
    /// The token to resume from.
    public private(set) var token: String?
    public private(set) var received: [ReportedTransaction] = []
    /// The snapshots that it received in place of changes, besides the one that it began with.
    public private(set) var holes: [String] = []

    public init() {}

    public mutating func add(_ line: Acknowledgement) {
        if let transaction = ReportedTransaction(line) {
            received.append(transaction)
            token = transaction.token
        } else if line.word == "snapshot" {
            if beginning != nil {
                holes.append(
                    "A snapshot came at \(line.numbers) instead of what follows \(received.last?.position ?? -1).")
            }
            beginning = beginning ?? line.numbers.first
            token = line.text
        }
    }
}
