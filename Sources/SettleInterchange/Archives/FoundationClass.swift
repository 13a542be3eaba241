/// A class of Foundation whose archived form is known.
enum FoundationClass: String {
    case null = "NSNull"
    case number = "NSNumber"
    case decimalNumber = "NSDecimalNumber"
    case string = "NSString"
    case data = "NSData"
    case date = "NSDate"
    case url = "NSURL"
    case uuid = "NSUUID"
    case array = "NSArray"
    case set = "NSSet"
    case orderedSet = "NSOrderedSet"
    case dictionary = "NSDictionary"

    private static let mutablePrefix = "NSMutable"

    /// Creates the class from its name; `nil` if it is another class. A mutable class has the same form.
    init?(named name: String) {
        let plain = Self.isMutable(name) ? "NS" + name.dropFirst(Self.mutablePrefix.count) : name
        self.init(rawValue: name == "NSDecimalNumberPlaceholder" ? "NSDecimalNumber" : plain)
    }

    /// Whether a name is that of a mutable class of Foundation, if of any.
    static func isMutable(_ name: String) -> Bool { name.hasPrefix(mutablePrefix) }

    /// The name of the class in archives, and those of its superclasses.
    func names(isMutable: Bool) -> [String] {
        switch self {
        case .number: [rawValue, "NSValue", "NSObject"]
        case .decimalNumber: [rawValue, "NSNumber", "NSValue", "NSObject"]
        default: (isMutable ? [Self.mutablePrefix + rawValue.dropFirst("NS".count)] : []) + [rawValue, "NSObject"]
        }
    }
}
