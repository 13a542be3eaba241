/// The flags of `defaults write` that specify the type of a value.
enum ValueFlag: String, CaseIterable {
    case string = "-string"
    case data = "-data"
    case int = "-int"
    case integer = "-integer"
    case float = "-float"
    case real = "-real"
    case bool = "-bool"
    case boolean = "-boolean"
    case date = "-date"
    case array = "-array"
    case arrayAdd = "-array-add"
    case dictionary = "-dict"
    case dictionaryAdd = "-dict-add"

    var isContainer: Bool {
        switch self {
        case .array, .arrayAdd, .dictionary, .dictionaryAdd: true
        default: false
        }
    }

    /// The value that the flag takes, as a sentence.
    var help: String {
        switch self {
        case .string: "A string."
        case .data: "Bytes in hexadecimal."
        case .int, .integer: "An integer."
        case .float, .real: "A number from -1.797e308 to 1.797e308."
        case .bool, .boolean: "true, false, yes, no, 1 or 0."
        case .date: "A date such as 2026-11-23T12:00:00Z."
        case .array: "Values in order."
        case .arrayAdd: "Values to append to the stored ones."
        case .dictionary: "Keys and values, alternating."
        case .dictionaryAdd: "Keys and values to add to the stored ones."
        }
    }
}
