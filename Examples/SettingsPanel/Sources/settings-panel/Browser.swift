import Dispatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// The person's browser.
enum Browser {
    /// Opens a link, with what the system has for that. If it has nothing, the person has the link.
    ///
    /// Everyone with an account on this machine may read the arguments of a program, so these name a file that leads to
    /// the link, and that only its owner may read.
    ///
    /// - Returns: The folder of the file, to be removed when the link has no use any more; `nil` if there is none.
    static func open(_ link: String) -> URL? {
        #if canImport(Darwin)
            let program = "open"
        #else
            let program = "xdg-open"
        #endif
        guard let folder = makeFolder() else { return nil }
        let page = folder.appending(path: "settings.html")
        let isWritten = FileManager.default.createFile(
            atPath: page.path, contents: Data(contents(leadingTo: link).utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten else { return folder }
        var process = pid_t()
        let words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(page.path), nil]
        defer { for word in words { free(word) } }
        guard posix_spawnp(&process, program, nil, nil, words, environ) == 0 else { return folder }
        // Otherwise it stays in the list of processes.
        DispatchQueue.global().async { [process] in
            var status: Int32 = 0
            while waitpid(process, &status, 0) == -1, errno == EINTR {}
        }
        return folder
    }

    /// Only its owner may enter it.
    private static func makeFolder() -> URL? {
        let name = FileManager.default.temporaryDirectory.appending(path: "settings-panel-XXXXXX").path
        var template = Array(name.utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        return URL(filePath: path, directoryHint: .isDirectory)
    }

    /// A page without a script; the link has no character that HTML gives a meaning but `&`.
    private static func contents(leadingTo link: String) -> String {
        let link = link.replacing("&", with: "&amp;")
        return """
            <!DOCTYPE html>
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0; url=\(link)">
            <title>Settings</title>
            <a href="\(link)">Settings</a>

            """
    }
}

/// Lines for the person who has started the program, without a buffer.
enum Terminal {
    static func say(_ line: String) { write(line, to: STDOUT_FILENO) }

    static func complain(_ line: String) { write(line, to: STDERR_FILENO) }

    private static func write(_ line: String, to file: Int32) {
        var rest = Array("\(line)\n".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// The system's function: in a type whose own functions have its name, only a qualified one would reach it, and each C
/// library has another name.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
