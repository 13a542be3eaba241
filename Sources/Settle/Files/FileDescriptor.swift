/// The operating system's number for an open file or folder.
package struct FileDescriptor: Sendable, Hashable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }
}
