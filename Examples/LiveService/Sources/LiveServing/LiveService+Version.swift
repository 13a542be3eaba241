import Settle

extension LiveService {
    /// The version, for `--version`, the metrics and the OpenAPI document. The service is released with the library.
    public static let version = SettingsStore.libraryVersion
}
