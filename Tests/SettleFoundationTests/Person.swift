import Foundation

/// What an older program has archived. Internal and outside of other types, so that archives can name it.
final class Person: NSObject, NSSecureCoding, Sendable {
    static var supportsSecureCoding: Bool { true }

    let name: String
    let born: Date?
    let friends: [Person]

    init(_ name: String, born: Date? = nil, friends: [Person] = []) {
        self.name = name
        self.born = born
        self.friends = friends
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        let friends = coder.decodeObject(of: [NSArray.self, Person.self], forKey: "friends") as? NSArray
        self.name = String(describing: name)
        born = coder.decodeObject(of: NSDate.self, forKey: "born").map {
            Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate)
        }
        self.friends = friends?.compactMap { $0 as? Person } ?? []
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: name), forKey: "name")
        // Foundation's own reader ends the program on Linux if the key is absent.
        let date = born.map { NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) }
        coder.encode(date, forKey: "born")
        coder.encode(NSArray(array: friends), forKey: "friends")
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Person else { return false }
        return name == other.name && born == other.born && friends == other.friends
    }

    override var hash: Int { name.hashValue }
}

/// A class that does not say that it is read securely.
final class Note: NSObject, NSCoding, Sendable {
    let text: String
    let isDone: Bool

    init(_ text: String, isDone: Bool = false) {
        self.text = text
        self.isDone = isDone
    }

    init?(coder: NSCoder) {
        guard let text = coder.decodeObject(forKey: "text") as? NSString else { return nil }
        self.text = String(describing: text)
        isDone = coder.decodeBool(forKey: "isDone")
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: text), forKey: "text")
        coder.encode(isDone, forKey: "isDone")
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Note else { return false }
        return text == other.text && isDone == other.isDone
    }

    override var hash: Int { text.hashValue }
}

/// An object that may contain itself, and ones of other classes.
final class Link: NSObject, NSSecureCoding, @unchecked Sendable {
    // Sendable: a test changes it before it shares it.
    static var supportsSecureCoding: Bool { true }

    var next: NSObject?

    override init() {}

    init?(coder: NSCoder) { next = coder.decodeObject(of: Link.self, forKey: "next") }

    func encode(with coder: NSCoder) { coder.encode(next, forKey: "next") }
}
