import ArgumentParser
import Settle
import SettleInterchange
import SettlePanel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The panels that a person asks for.
struct Panels: Sendable {
    /// `nil` for all that are found.
    let only: PanelDirectory.Entry?
    private let folder: URL?

    init(domain: String?, bundle: String?, bundles: String?) throws {
        folder = bundles.map { URL(filePath: $0, directoryHint: .isDirectory) }
        if let bundle {
            only = try Self.entry(ofBundle: URL(filePath: bundle, directoryHint: .isDirectory), domain: domain)
        } else if let domain {
            guard let found = StoredDomain.all().first(where: { $0.name == domain }) else {
                throw ValidationError("The domain “\(domain)” has stored nothing yet.")
            }
            only = .domain(found)
        } else {
            only = nil
        }
    }

    func entries() -> [PanelDirectory.Entry] {
        if let only { return [only] }
        return StoredDomain.all().map { .domain($0) }
            + bundlesInFolder.compactMap { try? Self.entry(ofBundle: $0, domain: nil) }
    }

    /// In the folder itself, and in the programs in it.
    private var bundlesInFolder: [URL] {
        guard let folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().flatMap { name -> [URL] in
            let place = folder.appending(path: name)
            let candidates = name.hasSuffix(".bundle") ? [place] : [place.appending(path: "Settings.bundle")]
            return candidates.filter { FileManager.default.fileExists(atPath: $0.appending(path: "Root.plist").path) }
        }
    }

    /// - Parameter domain: The domain of the values; by default the identifier of the program around the bundle.
    private static func entry(ofBundle url: URL, domain: String?) throws -> PanelDirectory.Entry {
        let bundle = try SettingsBundle.read(at: url)
        for finding in bundle.findings { Terminal.complain("\(finding)") }
        guard let name = domain ?? SettingsBundle.programIdentifier(at: url) else {
            throw ValidationError("Give the domain, too: no program with an identifier is around \(url.path).")
        }
        return .bundle(bundle, try StoredDomain(named: name))
    }
}
