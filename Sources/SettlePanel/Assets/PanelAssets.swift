/// What all pages load, from files beside this one.
enum PanelAssets {
    static var style: [UInt8] { PackageResources.style_css }
    static var script: [UInt8] { PackageResources.script_js }
    /// For programs that have none: a switch.
    static var icon: [UInt8] { PackageResources.icon_svg }

    /// Changes with the style sheet and the script, so that browsers load them again.
    static let version = Fingerprint.of(style + script)
}
