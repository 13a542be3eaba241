import SettleInterchange

extension String {
    /// The path with the home folder for a tilde at the beginning.
    var expandingHome: String {
        guard self == "~" || hasPrefix("~/") else { return self }
        return userHome() + dropFirst()
    }
}
