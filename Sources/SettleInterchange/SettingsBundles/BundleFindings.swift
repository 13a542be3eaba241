/// The findings of a bundle, limited to a useful number.
struct BundleFindings {
    private(set) var all: [SettingsBundle.Finding] = []

    mutating func add(_ kind: SettingsBundle.Finding.Kind, _ file: String, _ index: Int?, _ reason: String) {
        add([SettingsBundle.Finding(kind, file: file, index: index, reason)])
    }

    mutating func add(_ findings: [SettingsBundle.Finding]) {
        all += findings.prefix(BundleLimits.findings - all.count)
    }
}
