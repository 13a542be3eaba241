import Foundation
import TrialChecks

/// Keeps one file open, and commits steps to its own key until the parent speaks. Then it waits until it has the same
/// values as all others.
struct KeepingChild: ChildRole {
    var place: ChildPlace
    var writer: Int

    static func key(ofWriter writer: Int) -> String { "keepers.number\(writer)" }

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let contender = try await place.open()
        let key = Self.key(ofWriter: writer)
        try await contender.writeSecret(1)
        say("ready")
        let end = StandardStreams.untilParentSpeaks()
        var step = 0
        // One more step behind the parent's last word, whatever was put back until then.
        while true {
            let isLast = end.hasCome
            step += 1
            acknowledgements.add("try", step)
            // Long enough that the journal is renewed every few steps of all.
            let payload = String(repeating: String(step % 10), count: 1_000 + 1_700 * writer % 2_000)
            try await contender.commit([key: step], texts: ["payload": payload])
            acknowledgements.add("done", step)
            if isLast { break }
            MonotonicTime.pause(microseconds: 500 + 300 * writer)
            acknowledgements.add("found", try contender.number(key))
        }
        // After the removals another one.
        try await contender.writeSecret(step)
        say("\(step)")
        let steps = (readLine() ?? "").split(separator: " ").compactMap { Int($0) }
        let differing: [Int]? = MonotonicTime.poll(atMost: 20) {
            let found = steps.indices.map { (try? contender.number(Self.key(ofWriter: $0))) ?? -1 }
            return found == steps ? found : nil
        }
        if differing == nil {
            for (writer, step) in steps.enumerated() {
                let found = try contender.number(Self.key(ofWriter: writer))
                if found != step { acknowledgements.add("differs", writer, step, found) }
            }
        }
        for issue in try await contender.close() { acknowledgements.add("issue", text: issue) }
        acknowledgements.add("end")
    }
}
