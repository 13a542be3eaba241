import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting

/// Makes a `Settings.bundle` of texts, and runs a closure with its place.
func withBundle<Result>(_ files: [String: String], _ body: (URL) throws -> Result) throws -> Result {
    try withTemporaryFolder { folder in
        let bundle = folder.appending(path: "Settings.bundle", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try write(files, to: bundle)
        return try body(bundle)
    }
}

/// Writes files, with the folders around them.
func write(_ files: [String: String], to folder: URL) throws {
    for (name, text) in files {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}

/// Reads a bundle of one pane, whose specifiers are given in the old text form.
func readPane(_ specifiers: String, files: [String: String] = [:]) throws -> SettingsBundle {
    let root = ["Root.plist": "{ PreferenceSpecifiers = (\n\(specifiers)\n); }"]
    return try withBundle(root.merging(files) { first, _ in first }) { try SettingsBundle.read(at: $0) }
}

/// An XML property list of a pane.
func xmlPane(_ specifiers: String, keys: String = "") -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict>\(keys)<key>PreferenceSpecifiers</key><array>\(specifiers)</array></dict></plist>
    """
}
