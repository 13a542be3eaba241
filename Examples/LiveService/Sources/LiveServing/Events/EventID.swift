/// The id of a server-sent event: a revision, and which run of the service gave it, as `57-5f3a9c01`.
///
/// Revisions begin anew with each run, so that a revision alone could be mistaken for one of another run.
struct EventID: Hashable, Sendable, CustomStringConvertible {
    let revision: UInt64
    let run: String

    init(revision: UInt64, run: String) {
        self.revision = revision
        self.run = run
    }

    /// `nil` for a text that is no id; white space around it does not matter.
    init?(_ text: String) {
        let text = text.drop(while: \.isWhitespace)
        guard let dash = text.firstIndex(of: "-"), let revision = UInt64(text[..<dash]) else { return nil }
        let run = text[text.index(after: dash)...].prefix { !$0.isWhitespace }
        guard !run.isEmpty else { return nil }
        self.init(revision: revision, run: String(run))
    }

    var description: String { "\(revision)-\(run)" }

    /// A name for this run that no other has.
    static func newRun() -> String {
        let number = UInt32.random(in: .min ... .max)
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
