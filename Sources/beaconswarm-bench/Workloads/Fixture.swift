import AppModel
import DeviceSDK
import SensorsSDK
import Timebase
import Wire
import World

/// The population that the benchmarks measure: casual users of the shop with one version of the SDK.
enum Fixture {
    /// 2024-01-01T00:00:00Z, where all benchmarks' time begins.
    static let start = Instant(nanoseconds: 1_704_067_200_000_000_000)
    /// Events in a batch, as the SDK sends them.
    static let batchSize = 50

    static func plan(
        _ version: SensorsRules.Version, devices: Int = 1000, duration: Interval = .hours(1),
        port: Int = 8106, persona: PersonaDescription = Presets.casual,
        _ change: (inout SensorsRules) -> Void = { _ in }
    ) -> PopulationPlan {
        var rules = SensorsRules(version: version)
        change(&rules)
        var plan = PopulationPlan(
            name: "bench", deviceCount: devices, start: start, usersEnd: start + duration,
            app: Presets.shop, persona: persona,
            target: PopulationPlan.Target(
                scheme: "http", host: "127.0.0.1", port: port, pathAndQuery: "/sa?project=default"),
            system: rules)
        plan.seed = 42
        return plan
    }

    /// An encoder with the events of one device under one epoch that it is to write: views of
    /// screens, taps and native business events in turn.
    struct Events {
        let plan: PopulationPlan
        let encoder: SensorsEventEncoder
        let records: ContiguousArray<EventRecord>
        let epochs: EpochLog<SensorsEpoch>
        let traits: SensorsTraits
        /// Where the device was when it captured the events.
        let epoch: SensorsEpoch

        init(
            _ version: SensorsRules.Version, count: Int = Fixture.batchSize,
            compression: SensorsRules.Compression = .default
        ) {
            let plan = Fixture.plan(version)
            self.plan = plan
            var rules = SensorsRules(version: version)
            rules.upload.compression = compression
            let templates = SensorsTemplates(plan: plan, rules: rules)
            encoder = SensorsEventEncoder(plan: plan, rules: rules, templates: templates)
            traits = SensorsTraits(plan: plan, index: 17)
            var epoch = SensorsEpoch()
            epoch.superGroups = 1
            epoch.account = 0
            self.epoch = epoch
            var epochs = EpochLog(epoch)
            let reference = epochs.reference()
            self.epochs = epochs
            let business = plan.app.events.indices.filter { !plan.app.events[$0].isWeb }
            let tapped = plan.app.screens.indices.filter { !plan.app.screens[$0].controls.isEmpty }
            records = ContiguousArray(
                (0..<UInt32(count)).map { number in
                    let turn = Int(number / 3)
                    var record = EventRecord(
                        capturedAt: Fixture.start + .seconds(Int64(number)) + .milliseconds(Int64(number)),
                        sequence: number, epoch: reference, template: SensorsTemplates.viewScreen,
                        screen: UInt16(turn % plan.app.screens.count))
                    switch number % 3 {
                    case 0: record.control = UInt16((turn + 1) % plan.app.screens.count)
                    case 1:
                        record.template = SensorsTemplates.click
                        record.screen = UInt16(tapped[turn % tapped.count])
                        let controls = plan.app.screens[Int(record.screen)].controls.count
                        record.control = UInt16(turn % controls)
                    default:
                        record.template = templates.business(UInt16(business[turn % business.count]))
                        record.detail = number
                    }
                    return record
                })
        }

        /// Writes all events' JSON behind what `out` holds.
        func write(into out: inout WireBuffer) {
            let flushTime = traits.clockMilliseconds(at: Fixture.start)
            for record in records {
                encoder.encode(
                    record, epoch: epoch, traits: traits, index: 17, device: 17, flushTime: flushTime,
                    into: &out)
            }
        }

        /// Writes the body of a request that carries all events.
        func writeBody(into out: inout WireBuffer) {
            encoder.encodeBatch(records, index: 17, number: 17, epochs: epochs, at: Fixture.start, into: &out)
        }
    }
}
