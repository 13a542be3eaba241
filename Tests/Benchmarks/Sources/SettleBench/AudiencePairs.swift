/// The times of single values, taken alternately from two audiences.
struct AudiencePairs {
    private(set) var writer = PairedSamples()
    private(set) var writerOnProcessor = PairedSamples()
    private(set) var delivery = PairedSamples()

    init(_ count: Int, _ ours: Audience<some Broadcast>, _ limit: Audience<some Broadcast>) {
        for sample in 0..<count {
            let first = sample.isMultiple(of: 2) ? ours.publish() : nil
            let other = limit.publish()
            let times = first ?? ours.publish()
            writer.append(times.writer, other.writer)
            writerOnProcessor.append(times.writerOnProcessor, other.writerOnProcessor)
            delivery.append(times.delivery, other.delivery)
        }
    }
}
