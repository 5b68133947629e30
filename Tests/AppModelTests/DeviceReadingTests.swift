import Testing
import Timebase

@testable import AppModel

@Suite("What an app reads off its device")
struct DeviceReadingTests {
    private func moment(_ device: UInt64, _ at: Instant, zone: Interval = .zero) -> DeviceMoment {
        DeviceMoment(device: RandomStream(key: device), capturedAt: at, zone: zone, isSignedIn: false)
    }

    private func battery(_ device: UInt64, _ at: Instant, zone: Interval = .zero) -> Int {
        guard case .number(let level) = moment(device, at, zone: zone).value(of: .batteryLevel) else {
            return -1
        }
        return Int(level)
    }

    private func isDark(_ device: UInt64, _ at: Instant) -> Bool {
        moment(device, at).value(of: .isDarkMode) == .flag(true)
    }

    @Test("the battery falls all day and is charged at night: it is full once a day, and never jumps")
    func falling() {
        for device in UInt64(0)..<40 {
            var last = battery(device, start)
            var (lowest, highest, falls, jumps) = (100, 0, 0, 0)
            for minute in 1...Int64(3 * 24 * 60) {
                let level = battery(device, start + .minutes(minute))
                if abs(level - last) > 1 { jumps += 1 }
                // Whoever gets up last has done so, and nobody has gone to bed.
                let isDay = (511..<1290).contains(minute % 1440)
                if isDay, level > last { jumps += 1 }
                if isDay, level < last { falls += 1 }
                (lowest, highest, last) = (min(lowest, level), max(highest, level), level)
            }
            #expect(jumps == 0, "device \(device)")
            #expect(lowest >= 4 && lowest <= 55 && highest == 100, "device \(device): \(lowest)…\(highest)")
            #expect(falls > 3 * 20, "device \(device)")
        }
    }

    @Test("one moment reads the same each time, and differs between devices and days")
    func habits() {
        let noon = start + .hours(15)
        let devices = UInt64(0)..<40
        let levels = devices.map { battery($0, noon) }
        let again = devices.map { battery($0, noon) }
        #expect(levels == again && Set(levels).count > 10)
        let days = (Int64(0)..<40).map { battery(7, noon + .hours(24 * $0)) }
        #expect(Set(days).count > 10)
    }

    @Test("local time counts, and moments before 1970 have one too")
    func zones() {
        for hour in Int64(0)..<48 {
            let at = start + .hours(hour)
            #expect(battery(3, at, zone: .hours(8)) == battery(3, at + .hours(8)))
        }
        let early = Instant(nanoseconds: 0) - .hours(1)
        for device in UInt64(0)..<20 {
            #expect((4...100).contains(battery(device, early)))
            #expect(abs(battery(device, early) - battery(device, early + .minutes(1))) <= 1)
        }
    }

    @Test("the dark appearance is a habit: always, at night, or never")
    func darkness() {
        let devices = 4000
        var counts = (noon: 0, night: 0, changing: 0)
        for device in UInt64(0)..<UInt64(devices) {
            let noon = isDark(device, start + .hours(12))
            let night = isDark(device, start + .hours(23))
            counts.noon += noon ? 1 : 0
            counts.night += night ? 1 : 0
            if noon && !night { counts.changing += 1 }
            if isDark(device, start + .hours(24 * 5 + 12)) != noon { counts.changing += 1 }
            if isDark(device, start + .hours(24 * 5 + 3)) != night { counts.changing += 1 }
        }
        #expect(counts.changing == 0)
        func isShare(_ count: Int, _ share: Double) -> Bool {
            let deviation = (Double(devices) * share * (1 - share)).squareRoot()
            return abs(Double(count) - Double(devices) * share) < 5 * deviation
        }
        #expect(isShare(counts.noon, 0.25) && isShare(counts.night, 0.45), "\(counts)")
    }

    @Test("the sampler's values are those of the context's device")
    func sampler() {
        let sampler = PropertySampler(app: Presets.shop)
        var context = PropertyContext(sequence: 7, subject: 0, capturedAt: start + .hours(13))
        context.device = RandomStream(key: 11)
        context.zone = .hours(1)
        func value(_ reading: DeviceReading, _ sequence: UInt64) -> PropertyValue {
            var stream = RandomStream(key: 11).child(sequence)
            return sampler.value(of: .reading(reading), stream: &stream, context: context)
        }
        let level = Double(battery(11, start + .hours(14)))
        #expect(value(.batteryLevel, 1) == .number(level) && value(.batteryLevel, 2) == .number(level))
        #expect(value(.isDarkMode, 1) == .bool(isDark(11, start + .hours(14))))
        #expect(value(.isSignedIn, 1) == .bool(false))
        context.isSignedIn = true
        #expect(value(.isSignedIn, 1) == .bool(true))
    }

    @Test("only dynamic super properties are read off the device")
    func places() {
        func paths(_ change: (inout AppDescription) -> Void) -> [String] {
            var app = Presets.shop
            change(&app)
            return app.problems().map(\.path)
        }
        let reading = PropertyGenerator.reading(.batteryLevel)
        #expect(paths { $0.dynamicSuperProperties = [PropertyRule("battery", reading)] } == [])
        #expect(
            paths { $0.events[0].properties[0].generator = reading } == ["/events/0/properties/0/generator"])
        #expect(
            paths { $0.superProperties[0].properties[0].generator = reading }
                == ["/superProperties/0/properties/0/generator"])
        #expect(
            paths {
                let list = PropertyGenerator.list(reading, minimum: 1, maximum: 2)
                $0.dynamicSuperProperties = [PropertyRule("battery", list)]
            } == ["/dynamicSuperProperties/0/generator"])
    }
}
