import Foundation
import Settle

/// Writes pairs as long as it lives, and has the file written as often as possible.
struct RewritingChild: ChildRole {
    var place: ChildPlace

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        var configuration = SettingsStore.Configuration()
        configuration.savePolicy = .debounced(quiet: .milliseconds(1), atMost: .milliseconds(3))
        let contender = try await SettleContender(place, configuration: configuration)
        try await contender.commit(["left": 1, "right": 1], texts: [:])
        try await contender.writeSecret(1)
        // The readers start once the file exists, so a later absence is a loss.
        try await waitForFile()
        say("ready")
        var number = 1
        while true {
            number += 1
            try contender.write(["left": number, "right": number])
            if number.isMultiple(of: 20) { try await contender.flush() }
            acknowledgements.add("done", number)
            MonotonicTime.pause(microseconds: 200)
        }
    }

    private func waitForFile() async throws {
        let file = place.file
        let isThere: Bool? = MonotonicTime.poll(atMost: 5) {
            FileManager.default.fileExists(atPath: file) ? true : nil
        }
        if isThere == nil { throw TrialError("“\(file)” is not there 5 s after a commit.") }
    }
}
