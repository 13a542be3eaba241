public import Synchronization

/// The special states of a setting's box. Nearly all boxes have none of these.
@usableFromInline
struct BoxFlags: OptionSet, AtomicRepresentable, Sendable {
    @usableFromInline let rawValue: UInt

    @inlinable
    init(rawValue: UInt) { self.rawValue = rawValue }

    /// The transaction in progress has written the setting.
    @inlinable static var staged: BoxFlags { BoxFlags(rawValue: 1) }
    /// The box is an alias of the one that holds the value.
    @inlinable static var alias: BoxFlags { BoxFlags(rawValue: 2) }
    /// No store has opened the box's group.
    @inlinable static var unopened: BoxFlags { BoxFlags(rawValue: 4) }
    /// The group has been released.
    @inlinable static var released: BoxFlags { BoxFlags(rawValue: 8) }
    /// The box keeps its own value, and is an alias in all other respects.
    @inlinable static var frozen: BoxFlags { BoxFlags(rawValue: 16) }
    /// The box is a draft's: until it is edited, it has the value of another one.
    @inlinable static var following: BoxFlags { BoxFlags(rawValue: 32) }
    /// The value comes from another domain than the application's; or, in a draft, from the draft itself.
    @inlinable static var held: BoxFlags { BoxFlags(rawValue: 64) }
    /// Another domain has a value for the setting, which need not be in force.
    @inlinable static var layered: BoxFlags { BoxFlags(rawValue: 128) }
    /// The stored value differs from the value in force, so that a write of an equal value has to be saved as well.
    @inlinable static var savesEqual: BoxFlags { BoxFlags(rawValue: 256) }
    /// The store records what its commits read, or the setting is stored in the secret store. An assignment is not
    /// compared with the published value then.
    @inlinable static var recorded: BoxFlags { BoxFlags(rawValue: 512) }

    /// The flags that keep a reader from the published value.
    @inlinable static var unreadable: BoxFlags { BoxFlags(rawValue: 63 | 512) }
    /// The flags that keep a writer from publishing directly.
    @inlinable static var unwritable: BoxFlags { BoxFlags(rawValue: 127 | 256) }
    /// The flags that keep a writer from comparing with the published value first, or from beginning with it.
    @inlinable static var uncomparable: BoxFlags { BoxFlags(rawValue: 127 | 256 | 512) }

    /// On the path of every read, so it avoids the generic code of `OptionSet`, whatever the optimizer makes of that.
    @inlinable
    func isDisjoint(with other: BoxFlags) -> Bool { rawValue & other.rawValue == 0 }
}
