import AppModel
import DeviceSDK
import SensorsSDK
import Timebase
import Wire

/// Full batches of many devices, each batch unlike every other. One that is encoded over and over is
/// learnt by heart by the processor's predictor of branches, and a device's texts are then made but once.
struct ManyBatches {
    static let devices = 256

    let encoder: SensorsEventEncoder
    private let batches: [ContiguousArray<EventRecord>]
    private let epochs: EpochLog<SensorsEpoch>

    init(_ version: SensorsRules.Version, app: AppDescription = Presets.shop) {
        var plan = Fixture.plan(version, devices: Self.devices)
        plan.app = app
        let rules = SensorsRules(version: version)
        let templates = SensorsTemplates(plan: plan, rules: rules)
        encoder = SensorsEventEncoder(plan: plan, rules: rules, templates: templates)
        var epoch = SensorsEpoch()
        epoch.superGroups = 1
        var epochs = EpochLog(epoch)
        let reference = epochs.reference()
        self.epochs = epochs
        var stream = RandomStream(key: 50)
        batches = (0..<Self.devices).map { _ in
            Self.records(app, templates, epoch: reference, &stream)
        }
    }

    /// Writes the body of a request that carries a device's batch.
    func write(_ device: Int, into out: inout WireBuffer) {
        let index = device % Self.devices
        encoder.encodeBatch(
            batches[index], index: index, number: UInt32(index), epochs: epochs,
            at: Fixture.start + .hours(1),
            into: &out)
    }

    /// Views, taps and business events in the order that chance gives them.
    private static func records(
        _ app: AppDescription, _ templates: SensorsTemplates, epoch: UInt32,
        _ stream: inout RandomStream
    ) -> ContiguousArray<EventRecord> {
        let business = app.events.indices.filter { !app.events[$0].isWeb }
        let tapped = app.screens.indices.filter { !app.screens[$0].controls.isEmpty }
        let first = UInt32(stream.below(1000))
        var time = Fixture.start
        return ContiguousArray(
            (0..<UInt32(Fixture.batchSize)).map { number in
                time = time + .milliseconds(Int64(stream.below(4000)))
                var record = EventRecord(
                    capturedAt: time, sequence: first + number, epoch: epoch,
                    template: SensorsTemplates.viewScreen,
                    screen: UInt16(stream.below(UInt64(app.screens.count))))
                switch stream.below(3) {
                case 0: record.control = UInt16(stream.below(UInt64(app.screens.count)))
                case 1:
                    record.template = SensorsTemplates.click
                    record.screen = UInt16(tapped[Int(stream.below(UInt64(tapped.count)))])
                    let controls = app.screens[Int(record.screen)].controls.count
                    record.control = UInt16(stream.below(UInt64(controls)))
                default:
                    let event = business[Int(stream.below(UInt64(business.count)))]
                    record.template = templates.business(UInt16(event))
                    record.detail = UInt32(stream.below(1000))
                }
                return record
            })
    }
}
