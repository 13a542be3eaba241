public import Foundation

/// The values that a setting with `@Setting(codec: .keyedArchive)` may hold besides an object: an optional, or an
/// array, of objects of one class.
///
/// `Optional` and `Array` conform; there is nothing to implement.
public protocol ArchivedObjects {
    /// The class of the objects.
    associatedtype Object: NSObject & NSCoding

    /// The object at the root of the archive; `nil` for no archive.
    var archivedRoot: NSObject? { get }

    /// The classes that the root may have, and objects in it if it is a collection.
    static var archivedClasses: [AnyClass] { get }

    /// The value of an archive; `nil` if its root is another object.
    init?(archivedRoot: Any?)
}

extension Optional: ArchivedObjects where Wrapped: NSObject & NSCoding {
    public typealias Object = Wrapped

    public var archivedRoot: NSObject? { self }

    public static var archivedClasses: [AnyClass] { [Wrapped.self] }

    public init?(archivedRoot: Any?) {
        guard let archivedRoot else {
            self = .none
            return
        }
        guard let object = archivedRoot as? Wrapped else { return nil }
        self = .some(object)
    }
}

extension Array: ArchivedObjects where Element: NSObject & NSCoding {
    public typealias Object = Element

    public var archivedRoot: NSObject? { NSArray(array: self) }

    public static var archivedClasses: [AnyClass] { [NSArray.self, Element.self] }

    public init?(archivedRoot: Any?) {
        guard let array = archivedRoot as? NSArray else { return nil }
        var objects: [Element] = []
        for element in array {
            guard let object = element as? Element else { return nil }
            objects.append(object)
        }
        self = objects
    }
}
