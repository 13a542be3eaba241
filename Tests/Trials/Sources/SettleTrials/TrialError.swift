/// Why a trial could not be run, as a sentence.
struct TrialError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
