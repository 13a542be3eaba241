/// Reports errors of the storage. The same error is reported only once until a call succeeds: retries may be frequent.
final class ErrorReporter {
    private let reportIssue: @Sendable (SettingsError) -> Void
    private var last: StorageError?

    init(_ report: @escaping @Sendable (SettingsError) -> Void) {
        reportIssue = report
    }

    func report(_ error: StorageError) {
        if error != last { reportIssue(.storage(error)) }
        last = error
    }

    func succeeded() { last = nil }
}
