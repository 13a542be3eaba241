import Settle
import TrialChecks

/// Follows the history from a token, and acknowledges each change that it receives, until it is killed or at the end.
struct FollowingChild: ChildRole {
    var place: ChildPlace
    /// What was acknowledged last; `nil` to begin with a snapshot.
    var token: String?
    /// Whether to receive only what is on stable storage.
    var durableOnly = false
    /// How long to work on each change, in microseconds.
    var pause = 0
    /// Where to end.
    var lastPosition: Int?

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let store = try await RememberedFile.open(place, acknowledgements)
        var position = token.flatMap(ChangeToken.init).map { Int($0.position) } ?? 0
        guard position < lastPosition ?? .max else { return try await store.close() }
        var isFirst = true
        for await change in store.history.changes(after: token.flatMap(ChangeToken.init), durableOnly: durableOnly) {
            guard let place = change.token else { throw TrialError("A change has no token: \(change)") }
            position = Int(place.position)
            if let transaction = ReportedTransaction(change) {
                acknowledgements.add(transaction.acknowledgement)
            } else {
                acknowledgements.add("snapshot", position, text: place.description)
            }
            if isFirst { say("following") }
            isFirst = false
            if position >= lastPosition ?? .max { break }
            MonotonicTime.pause(microseconds: pause)
        }
        try await store.close()
    }
}
