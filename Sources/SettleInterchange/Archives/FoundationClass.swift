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

    /// Creates the class from its name; `nil` if it is another class. A mutable class has the same form.
    init?(named name: String) {
        let plain = name.hasPrefix("NSMutable") ? "NS" + name.dropFirst("NSMutable".count) : name
        self.init(rawValue: name == "NSDecimalNumberPlaceholder" ? "NSDecimalNumber" : plain)
    }

    /// The name of the class in archives, and those of its superclasses.
    var names: [String] {
        switch self {
        case .number: [rawValue, "NSValue", "NSObject"]
        case .decimalNumber: [rawValue, "NSNumber", "NSValue", "NSObject"]
        default: [rawValue, "NSObject"]
        }
    }
}
