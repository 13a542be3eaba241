import PasscodeLock

/// The style of a text on a terminal with colours.
enum Style: String {
    case plain = ""
    case red = "31"
    case green = "32"
    case yellow = "33"
}

extension String {
    func styled(_ style: Style, if showsColour: Bool) -> String {
        showsColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(self)\u{1B}[0m" : self
    }
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
