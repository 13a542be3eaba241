import Foundation
import Settle
import Testing

/// Where a settings file stands on a simulated disk, and so where its companions are.
enum FileLayout: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case oneFolder = "/home/settings.json"
    /// The journal and what else is not for people is in `/home/.local/state/app`.
    case stateApart = "/home/.config/app/settings.json"

    var path: FilePath { FilePath(rawValue) }
    var url: URL { URL(filePath: rawValue) }
    var names: FileNames { FileNames(path) }
    var testDescription: String { rawValue }
}
