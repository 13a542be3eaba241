/// A form as pages receive it, with a digest of its contents.
struct RenderedForm: Sendable {
    let digest: FormDigest
    let html: HTML

    init(_ form: ControlForm) {
        let (version, content) = (form.version, form.html)
        // Neither are the marks and the fields of a search: on each page the setting has the same contents.
        digest = FormDigest(of: form.context.search == nil ? content : form.withoutSearch.html)
        // The token is not part of the digest: it differs after each change of any setting.
        html = content.adding("data-digest", digest.text) {
            HTML("input", ["type": "hidden", "name": "token", "value": .text(version.token)])
        }
    }
}
