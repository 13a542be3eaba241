import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension BundleFolder {
    /// Reads the picture with a name, with or without `.png`, in its best resolution; `nil` if there is none.
    ///
    /// - Parameter parents: The names of the folders around it.
    func image(named name: String, in parents: [String] = []) -> SettingsBundle.Image? {
        guard let path = BundlePath(name) else { return nil }
        let (stem, ending) = Self.parts(of: path.name)
        for scale in [3, 2, 1] {
            let file = stem + (scale == 1 ? "" : "@\(scale)x") + ending
            let inner = path.names.dropLast() + [file]
            guard let bytes = try? contents(of: BundlePath(parents + inner), limit: BundleLimits.image) else {
                continue
            }
            return SettingsBundle.Image(
                name: name, file: inner.joined(separator: "/"), scale: scale, data: Data(bytes))
        }
        return nil
    }

    /// Returns the parts of a name: `("loud", ".png")` for `loud` and `loud.png`.
    private static func parts(of name: String) -> (stem: String, ending: String) {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else {
            return (name, ".png")
        }
        return (String(name[..<dot]), String(name[dot...]))
    }

    /// Returns the languages that have a folder.
    func languages(in parents: [String] = []) -> [String] {
        names(in: parents).compactMap { $0.without(ending: ".lproj") }
    }
}
