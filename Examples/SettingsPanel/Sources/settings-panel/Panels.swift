import ArgumentParser
import Settle
import SettleInterchange
import SettlePanel
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The panels that a person asks for.
final class Panels: Sendable {
    /// What the person has named; `nil` for all that are found.
    private let only: Named?
    private let folder: URL?
    private let bundles = Mutex<[URL: ReadBundle]>([:])

    private enum Named: Sendable {
        case domain(ProgramDomain)
        case bundle(URL, domain: String?)
    }

    /// A bundle as its files were.
    private struct ReadBundle: Sendable {
        let state: [String: Date]
        /// `nil` if it can't be used.
        let entry: PanelDirectory.Entry?
    }

    init(domain: String?, bundle: String?, bundles: String?) throws {
        folder = bundles.map { URL(filePath: $0, directoryHint: .isDirectory) }
        if let bundle {
            let url = URL(filePath: bundle, directoryHint: .isDirectory)
            only = .bundle(url, domain: domain)
            let state = Self.state(of: url)
            let entry = try Self.entry(ofBundle: url, domain: domain)
            self.bundles.withLock { $0[url] = ReadBundle(state: state, entry: entry) }
        } else if let domain {
            guard let found = ProgramDomain.all().first(where: { $0.name == domain }) else {
                throw ValidationError("The domain “\(domain)” has stored nothing yet.")
            }
            only = .domain(found)
        } else {
            only = nil
        }
    }

    /// The only panel, if the person has named one.
    var first: PanelDirectory.Entry? { only == nil ? nil : entries().first }

    /// Asked for at each request, so a bundle is read again only when one of its files has changed.
    func entries() -> [PanelDirectory.Entry] {
        switch only {
        case .domain(let domain)?: [.domain(domain)]
        case .bundle(let url, let domain)?: entry(of: url, domain: domain).map { [$0] } ?? []
        case nil:
            ProgramDomain.all().map { .domain($0) } + bundlesInFolder.compactMap { entry(of: $0, domain: nil) }
        }
    }

    /// In the folder itself, and in the programs in it.
    private var bundlesInFolder: [URL] {
        guard let folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().flatMap { name -> [URL] in
            let place = folder.appending(path: name)
            let inside = ["Settings.bundle", "Contents/Resources/Settings.bundle", "Resources/Settings.bundle"]
            let candidates = name.hasSuffix(".bundle") ? [place] : inside.map { place.appending(path: $0) }
            return candidates.filter { FileManager.default.fileExists(atPath: $0.appending(path: "Root.plist").path) }
        }
    }

    /// A bundle that is being replaced keeps its panel until it can be read again.
    private func entry(of url: URL, domain: String?) -> PanelDirectory.Entry? {
        let state = Self.state(of: url)
        let known = bundles.withLock { $0[url] }
        if let known, known.state == state { return known.entry }
        var entry = known?.entry
        do {
            entry = try Self.entry(ofBundle: url, domain: domain)
        } catch {
            Terminal.complain("\(error)")
        }
        bundles.withLock { $0[url] = ReadBundle(state: state, entry: entry) }
        return entry
    }

    /// When each file of a bundle has changed last.
    private static func state(of bundle: URL) -> [String: Date] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: bundle.path)) ?? []
        var state: [String: Date] = [:]
        for name in names.prefix(10_000) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: bundle.appending(path: name).path)
            state[name] = attributes?[.modificationDate] as? Date ?? .distantPast
        }
        return state
    }

    /// - Parameter domain: The domain of the values; by default the identifier of the program around the bundle.
    private static func entry(ofBundle url: URL, domain: String?) throws -> PanelDirectory.Entry {
        let bundle = try SettingsBundle.read(at: url, as: .inApp)
        for finding in bundle.findings { Terminal.complain("\(finding)") }
        guard let name = domain ?? SettingsBundle.programIdentifier(at: url) else {
            throw ValidationError("Give the domain, too: no program with an identifier is around \(url.path).")
        }
        return .bundle(bundle, try ProgramDomain(named: name))
    }
}
