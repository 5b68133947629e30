import TestSupport
import Testing

@testable import CollectorModel

@Suite("Memory that reading keeps")
struct KeptMemoryTests {
    /// Uploads of a list with much white space.
    private static func largeUploads() -> [SystemUpload] {
        let text = "[\(String(repeating: " ", count: 9 << 20))1]"
        return [
            SystemUpload(system: .sensors, path: "/sa", body: Bodies.python(text)),
            .growing(text),
            SystemUpload(system: .trackingSDK, path: "/tracking/events", body: Array(text.utf8)),
            SystemUpload(system: .declared, path: "/v1/b", body: Array(text.utf8)),
        ]
    }

    @Test("that of a large upload is given back, whichever system it is of, and that of others is used again")
    func large() {
        for upload in KeptMemoryTests.largeUploads() {
            let system = upload.system
            var bench = Bench()
            let first = bench.model.collected[system].decoder
            bench.post(.of(system))
            #expect(bench.model.collected[system].decoder === first, "\(system)")
            bench.post(upload)
            #expect(bench.model.collected[system].decoder.textCapacity < 1 << 20, "\(system)")
            #expect(bench.post(.of(system)).disposition == .stored, "\(system)")
        }
    }
}
