extension LiveService {
    /// The version, for `--version`, the metrics and the OpenAPI document.
    public static let version = "1.0.0"
}
