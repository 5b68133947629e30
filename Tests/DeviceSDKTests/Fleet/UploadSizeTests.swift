import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("How large uploads are said to be")
struct UploadSizeTests {
    private func plan(_ sizes: UploadSizeModel?) -> PopulationPlan {
        var persona = PersonaDescription(name: "busy")
        persona.sessionsPerDay = 100
        var plan = PopulationPlan(
            name: "ios", deviceCount: 1, start: ManualWorld.start, usersEnd: ManualWorld.start + .hours(1),
            app: AppDescription.forTests, persona: persona,
            target: .init(scheme: "http", host: "h", port: 8106, pathAndQuery: "/sa?project=p"),
            system: SensorsRules(version: .v1))
        plan.uploadSizes = sizes
        return plan
    }

    /// The first upload of the device: its size on the way, what it carries, and what is written of it.
    private func firstUpload(_ sizes: UploadSizeModel?) throws -> (size: Int, events: Int, written: Int) {
        let fleet = makeFleet(plan: plan(sizes), share: .whole)
        var effects = DeviceEffects()
        var wake = fleet.arrival(of: 0)
        while wake < plan(sizes).usersEnd {
            let now = wake
            wake = fleet.advance(0, through: now, effects: &effects)
            guard let request = effects.requests.first(where: { $0.number.kind == .upload })?.number else {
                continue
            }
            let size = fleet.wireSize(0, request: request, at: now)
            var carried = CarriedEvents()
            _ = fleet.carry(0, request: request, at: now, into: &carried)
            var body = WireBuffer()
            let head = fleet.encode(0, request: request, at: now, into: &body)
            #expect(fleet.wireSize(0, request: request, at: now) == size, "asking changes nothing")
            return (size, carried.count, body.count + head.path.utf8.count + head.headerLines.utf8.count)
        }
        throw NoUpload()
    }

    private struct NoUpload: Error {}

    @Test("without a model it is what is written")
    func written() throws {
        let upload = try firstUpload(nil)
        #expect(upload.size == upload.written && upload.events > 0)
    }

    @Test("by a model it is what that says of the events, and the same is written")
    func modelled() throws {
        let upload = try firstUpload(.typical)
        #expect(upload.size == 700 + 130 * upload.events)
        #expect(try upload.written == firstUpload(nil).written && upload.written != upload.size)
    }

    @Test("the terms of templates, states and factors add up")
    func terms() {
        var terms = UploadSizeTerms(templates: 2)
        (terms.request, terms.state, terms.anyFirst, terms.anyFurther) = (100, 10, 20, 5)
        (terms.first[1], terms.further[1]) = (7, 3)
        // By binary digits of the number of events: none for 0, one for 1, two for 2 and 3.
        let model = UploadSizeModel(terms: terms, factors: [1, 1, 2])
        var events = CarriedEvents()
        #expect(model.bytes(of: events) == 100)
        func add(_ template: UInt16, epoch: UInt32) {
            events.add(
                EventRecord(capturedAt: ManualWorld.start, sequence: 0, epoch: epoch, template: template),
                device: 1)
        }
        add(0, epoch: 0)
        #expect(model.bytes(of: events) == 100 + 10 + 20)
        add(1, epoch: 0)
        #expect(model.bytes(of: events) == 2 * (100 + 10 + 20 + 27))
        add(1, epoch: 1)
        #expect(model.bytes(of: events) == 2 * (100 + 2 * 10 + 20 + 27 + 8))
        // A template of which nothing is known is one like the others; larger bodies take the last factor.
        add(9, epoch: 1)
        #expect(model.bytes(of: events) == 2 * (100 + 2 * 10 + 20 + 27 + 8 + 20))
    }

    @Test("each template costs what it costs, however many there are", arguments: [3, 511, 512, 515, 1100])
    func manyTemplates(template: Int) {
        var terms = UploadSizeTerms(templates: 1200)
        for index in 0..<1200 {
            (terms.first[index], terms.further[index]) = (Double(index), Double(2 * index))
        }
        var events = CarriedEvents()
        for _ in 0..<2 {
            events.add(
                EventRecord(
                    capturedAt: ManualWorld.start, sequence: 0, epoch: 0, template: UInt16(template)),
                device: 1)
        }
        #expect(UploadSizeModel(terms: terms).bytes(of: events) == UInt64(3 * template))
    }
}
