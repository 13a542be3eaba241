import ArgumentParser
import PasscodeLock

extension ExitCode {
    static let wrongPasscode = ExitCode(1)
    static let delayed = ExitCode(2)
    static let exhausted = ExitCode(3)
    static let unavailable = ExitCode(4)
    static let malformed = ExitCode(64)
    static let mismatch = ExitCode(65)
    static let unwritable = ExitCode(74)
    static let interrupted = ExitCode(130)

    init(_ status: LockStatus) {
        switch status {
        case .ready: self = .success
        case .delayed: self = .delayed
        case .exhausted: self = .exhausted
        case .unavailable: self = .unavailable
        }
    }
}
