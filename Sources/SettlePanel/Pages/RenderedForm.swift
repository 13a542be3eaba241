/// A form as pages get it, with a digest of what it shows.
struct RenderedForm: Sendable {
    let digest: FormDigest
    let html: HTML

    init(_ form: ControlForm) {
        let (version, content) = (form.version, form.html)
        digest = FormDigest(of: content)
        // Beside what the digest is of: the token is another one after each change of anything.
        html = content.adding("data-digest", digest.text) {
            HTML("input", ["type": "hidden", "name": "token", "value": .text(version.token)])
        }
    }
}
