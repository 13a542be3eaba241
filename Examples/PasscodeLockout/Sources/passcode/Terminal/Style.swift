import PasscodeLock

/// The style of a text on a terminal with colours.
enum Style: String {
    case plain = ""
    case red = "31"
    case green = "32"
    case yellow = "33"
}

extension LockStatus {
    var style: Style {
        switch self {
        case .ready: .green
        case .delayed: .yellow
        case .exhausted: .red
        case .unavailable(.notEnrolled): .plain
        case .unavailable: .red
        }
    }

    var isDelayed: Bool {
        if case .delayed = self { true } else { false }
    }
}
