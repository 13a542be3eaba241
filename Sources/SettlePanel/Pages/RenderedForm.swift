/// A form as pages receive it, with a digest of its contents.
struct RenderedForm: Sendable {
    let digest: FormDigest
    let html: HTML

    init(_ form: ControlForm) {
        let (version, content) = (form.version, form.html)
        digest = FormDigest(of: content)
        // The token is not part of the digest: it differs after each change of any setting.
        html = content.adding("data-digest", digest.text) {
            HTML("input", ["type": "hidden", "name": "token", "value": .text(version.token)])
        }
    }
}
