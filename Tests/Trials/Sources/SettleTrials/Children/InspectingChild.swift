/// Opens the file again and reports its contents.
struct InspectingChild: ChildRole {
    var place: ChildPlace
    var numbers: [String]
    var texts: [String] = []

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let contender = try await place.open()
        for key in numbers { acknowledgements.add("number", try contender.number(key), text: key) }
        for key in texts { acknowledgements.add("text", text: "\(key)=\(try contender.text(key))") }
        do {
            for issue in try await contender.close() { acknowledgements.add("issue", text: issue) }
        } catch {
            acknowledgements.add("unclosed", text: "\(error)")
        }
        acknowledgements.add("end")
    }
}
