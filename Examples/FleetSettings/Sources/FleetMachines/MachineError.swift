/// Why a process, a network or a cluster of this machine can't be had, as a sentence.
package struct MachineError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
