import DeviceSDK
import Files
import Scenario
import TestSupport
import Testing
import Timebase
import Wire

@testable import Generation
@testable import VirtualEngine

@Suite("Rows of uploads that arrive")
struct ArrivalRecorderTests {
    @Test("an upload in which a collector finds fewer events than it carries is a failure")
    func unreadable() throws {
        let document = try Worlds.load(
            #"""
            {"name": "d", "duration": "1m",
             "populations": [{"name": "p", "devices": 1, "system": "trackingsdk", "persona": "steady"}]}
            """#)
        let plans = document.playedPlans(start: document.simulatedStart)
        let fields = RowFields(finders: [FieldFinder([], numbers: [:])], types: [])
        let recorder = ArrivalRecorder(
            plans.populations, collector: plans.collector, keepsIDs: true, fields: fields,
            into: ArrivalFeed())
        let at = document.simulatedStart
        var events = CarriedEvents()
        for sequence in UInt32(0)..<2 {
            events.add(EventRecord(capturedAt: at, sequence: sequence, epoch: 0, template: 0), device: 0)
        }
        let event = #"{"event_name":"a","timestamp":1700000000.5,"parameters":{}}"#
        func store(_ text: String, request: UInt32) {
            Array(text.utf8).withUnsafeBytes { bytes in
                recorder.stored(
                    StoredUpload(
                        population: 0, device: 0, request: request, at: at, content: .plain(.list, bytes),
                        events: events))
            }
        }
        store("[\(event),\(event)]", request: 6)
        #expect(recorder.failure == nil)
        store("[7,\(event)]", request: 7)
        let reason = "a collector finds 1 events in it, and it has 2"
        #expect(recorder.failure == FileFailure("read", "upload 7 of device 0", reason: reason))
    }
}
