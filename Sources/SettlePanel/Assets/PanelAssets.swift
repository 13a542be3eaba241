import SettleHTTP

/// The files that all pages load. They are beside this one.
enum PanelAssets {
    static var style: [UInt8] { PackageResources.style_css }
    static var script: [UInt8] { PackageResources.script_js }
    /// The icon for programs without one: a switch.
    static var icon: [UInt8] { PackageResources.icon_svg }

    /// A version that changes with the style sheet and the script, so that browsers load them again.
    static let version = Fingerprint.of(style + script)
}
