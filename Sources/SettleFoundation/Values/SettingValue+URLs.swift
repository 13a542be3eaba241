import Foundation
import Settle
import SettleInterchange

/// URLs as `UserDefaults` stores them.
extension SettingValue {
    /// Creates the stored form of a URL. A file in the home folder is a path with `~`. Every other URL is archived;
    /// that of an existing file as a reference with bookmark data, where the system supports it.
    init(_ url: URL, home: String = userHome()) throws {
        if url.isFileURL, let path = Self.abbreviated(url.path, home: home) {
            self = .string(path)
            return
        }
        #if canImport(Darwin)
            let archived = url.isFileURL ? Self.reference(to: url as NSURL) ?? url as NSURL : url as NSURL
        #else
            let archived = NSURL(string: url.absoluteString)
        #endif
        self = try SettingCodec<NSURL?>.keyedArchive.encode(archived)
    }

    /// The archived URL, that of a path, where `~` is the home folder, or that of a text with a scheme.
    var convertedToURL: URL? {
        guard let archived = try? SettingCodec<NSURL>.keyedArchive.decode(self) else {
            return SettingCoercion.url.convert(self)
        }
        #if canImport(Darwin)
            return archived as URL
        #else
            return URL(string: archived.absoluteString)
        #endif
    }

    #if canImport(Darwin)
        /// Returns a reference whose archive has bookmark data. `URL` can't be such a reference, and the method with a
        /// Swift name returns a `URL`.
        private static func reference(to file: NSURL) -> NSURL? {
            file.perform(#selector(NSURL.fileReferenceURL))?.takeUnretainedValue() as? NSURL
        }
    #endif

    private static func abbreviated(_ path: String, home: String) -> String? {
        if path == home { return "~" }
        guard path.hasPrefix(home + "/") else { return nil }
        return "~" + String(path.dropFirst(home.count))
    }
}
