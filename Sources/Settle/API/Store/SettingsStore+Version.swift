extension SettingsStore {
    /// The version of Settle, such as `0.1.0`, for logs and metrics; with `-dev` before the release.
    public static let libraryVersion = "0.1.0-dev"
}
