import ArgumentParser
import Foundation

/// The permissions of a file that its user reads and writes and others at most read, in octal, such as `644`.
struct FileMode: ExpressibleByArgument, Equatable {
    let permissions: Int

    private static let user = 0o600
    private static let allowed = 0o644

    /// - Returns: `nil` if it is not such a mode. The relay reverts what others write, so others get no permission to.
    init?(argument: String) {
        guard (3...4).contains(argument.utf8.count), argument.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let permissions = Int(argument, radix: 8), permissions & Self.user == Self.user,
            permissions | Self.allowed == Self.allowed
        else { return nil }
        self.permissions = permissions
    }

    /// Sets it, unless the file has it already or is missing.
    func set(at file: URL) throws {
        let path = file.resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.posixPermissions] as? Int != permissions
        else { return }
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
}
