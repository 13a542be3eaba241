import ArgumentParser
import Foundation
import PasscodeLock

struct Audit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the lock's events: tries, waits, and signs of tampering.")

    @OptionGroup var options: StoreOptions

    @Flag(help: "Print one JSON object per line.")
    var json = false

    func run() async throws {
        for record in await (try options.open()).lock.auditRecords {
            if json {
                try Terminal.write(.json(JSONEncoder.line.text(of: AuditReport(record))), .newline)
            } else {
                try Terminal.say(record.line, record.style)
            }
        }
    }
}

extension AuditRecord {
    /// For display.
    var line: String {
        "\(date.localTime)  \(words)"
    }

    /// Without its date.
    var words: String {
        let count = attemptCount.map { "\($0)" } ?? "?"
        return switch event {
        case .enrolled: "a passcode was chosen"
        case .passcodeChanged: "the right passcode, and a new one was chosen"
        case .accepted: "the right passcode"
        case .delayed: "a wait of \(wait?.inWords ?? "unknown length") began"
        case .exhausted: "no further passcode is compared"
        case .tampering: "tampering: \(detail ?? "")"
        case .attempt:
            switch outcome {
            case nil: "try \(count)"
            case .wrong: "try \(count): wrong"
            case .failed: "try \(count): the comparison failed, which counts"
            }
        }
    }

    var style: Style {
        switch event {
        case .enrolled, .passcodeChanged, .accepted: .green
        case .attempt: .plain
        case .delayed: .yellow
        case .exhausted, .tampering: .red
        }
    }
}
