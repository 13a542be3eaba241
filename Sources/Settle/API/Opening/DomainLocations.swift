#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The locations of a store's standard domains. What follows from the parts is determined on demand: most stores have
/// no other domains.
struct DomainLocations {
    private let givenID: String?
    /// The store's own file; `nil` for a storage without one.
    let file: URL?
    /// The home of the other user whose store it is, if it is another user's.
    let home: UserHome?

    /// - Parameter id: The store's name. By default the name of the file, or of its folder if the file is called
    ///   `settings`.
    init(id: String? = nil, file: URL?, home: UserHome? = nil) {
        givenID = id
        self.file = file
        self.home = home
    }

    /// The store's name, such as `com.example.app`.
    var id: String {
        if let givenID { return givenID }
        let name = file?.deletingPathExtension().lastPathComponent ?? ""
        return name == "settings" ? file?.deletingLastPathComponent().lastPathComponent ?? name : name
    }

    var location: StandardLocation { home.map { StandardLocation(of: $0.path) } ?? StandardLocation() }

    /// Returns the location of a domain's file, and the user that it belongs to.
    ///
    /// - Parameter given: The location, if it is not the standard one.
    func place(
        of file: SearchList.Domain.StandardFile, at given: URL?
    ) throws(StorageError) -> (file: URL, home: UserHome?) {
        let url = if let given { given } else { try self.url(of: file) }
        return ownership(of: url)
    }

    /// Returns the user that a file belongs to, and the file's path without the links that lead to that user's home.
    func ownership(of url: URL) -> (file: URL, home: UserHome?) {
        guard let home, let own = home.path(of: FilePath(url)) else { return (url, nil) }
        return (URL(filePath: own.text, directoryHint: .notDirectory), home)
    }

    private func url(of file: SearchList.Domain.StandardFile) throws(StorageError) -> URL {
        switch file {
        case .host: StandardLocation.hostFile(besides: try ownFile())
        case .global: location.globalFile
        case .system: try StandardLocation.systemFile(forStore: id)
        case .suite(let name): try location.file(forStore: name)
        }
    }

    private func ownFile() throws(StorageError) -> URL {
        if let file { return file }
        return try location.file(forStore: id)
    }

    /// The prefix of environment variables, such as `COM_EXAMPLE_APP`.
    var environmentPrefix: String {
        var prefix = id.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        while prefix.last == "_" { prefix.removeLast() }
        if prefix.first?.isLetter != true { prefix = Array("APP_") + prefix.drop { $0 == "_" } }
        while prefix.last == "_" { prefix.removeLast() }
        return String(prefix)
    }
}
