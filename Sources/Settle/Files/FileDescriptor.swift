/// An open file or folder, as the operating system numbers it.
package struct FileDescriptor: Sendable, Hashable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }
}
