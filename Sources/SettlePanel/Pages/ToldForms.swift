import Settle

/// The forms of a page as its stream has told them, or as they were when it began.
struct ToldForms: Sendable {
    /// By their order on the page.
    private(set) var marks: [FormMark] = []
    /// Those that are kept to tell what is other in the next ones.
    private var kept: [Int: MarkedForm] = [:]
    private var size = 0

    /// How many bytes are kept.
    static let limit = 128 * 1024

    init() {}

    init(_ forms: [MarkedForm]) {
        marks = forms.map(\.mark)
        for (index, form) in forms.enumerated() where size + form.size <= Self.limit {
            kept[index] = form
            size += form.size
        }
    }

    /// What a page is told of a form that may be another now: a ``FormPatch``, or the whole form if that can't be.
    mutating func tell(_ form: MarkedForm, at index: Int) -> SettingValue {
        let patch = kept[index].flatMap { FormPatch(from: $0, to: form) }
        keep(form, at: index)
        return patch?.value ?? .string(form.html.text)
    }

    private mutating func keep(_ form: MarkedForm, at index: Int) {
        marks[index] = form.mark
        size -= kept.removeValue(forKey: index)?.size ?? 0
        guard form.size <= Self.limit else { return }
        // What has just changed is likelier to change than all that has not.
        if size + form.size > Self.limit { (kept, size) = ([:], 0) }
        kept[index] = form
        size += form.size
    }
}

extension MarkedForm {
    fileprivate var size: Int { bare.bytes.count }
}
