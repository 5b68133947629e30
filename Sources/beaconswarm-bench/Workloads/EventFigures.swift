import DeviceSDK
import SensorsSDK
import Timebase
import Wire

/// Events to bytes: JSON, compression, text encodings, whole bodies; one core.
enum EventFigures {
    static func measure(_ rounds: Rounds) async -> [Figure] {
        var figures: [Figure] = []
        for version in [SensorsRules.Version.v1, .v4] {
            let events = Fixture.Events(version)
            var json = WireBuffer()
            events.write(into: &json)
            let size = json.count / Fixture.batchSize
            figures.append(
                await rounds.figure(
                    "event JSON", version.rawValue, unit: "events/s", goal: "≥ 4 M", note: "\(size) bytes"
                ) { seconds in
                    perSecond(seconds, items: Fixture.batchSize) {
                        json.removeAll()
                        events.write(into: &json)
                    }
                })
        }
        let events = Fixture.Events(.v4)
        var json = WireBuffer()
        events.write(into: &json)
        figures += await compression(of: json, rounds)
        figures.append(await textEncodings(of: json, rounds))
        for effort in SensorsRules.Compression.allCases {
            let events = Fixture.Events(.v4, compression: effort)
            var body = WireBuffer()
            events.writeBody(into: &body)
            figures.append(
                await rounds.figure(
                    "body of 50 events", "compression \(effort.rawValue)", unit: "events/s",
                    goal: effort == .fast ? "≥ 0.4 M" : "", note: "\(body.count) bytes"
                ) { seconds in
                    perSecond(seconds, items: Fixture.batchSize) {
                        body.removeAll()
                        events.writeBody(into: &body)
                    }
                })
        }
        return figures
    }

    private static func compression(of json: WireBuffer, _ rounds: Rounds) async -> [Figure] {
        var figures: [Figure] = []
        let encoders: [(name: String, gzip: GzipEncoder, goal: String)] = [
            ("libdeflate 6", GzipEncoder(level: 6), ""), ("libdeflate 1", GzipEncoder(level: 1), ""),
            ("own, default", GzipEncoder(batches: .small), ""),
            ("own, fast", GzipEncoder(batches: .fast), "≥ 0.6 M"),
        ]
        for (name, gzip, goal) in encoders {
            var packed = WireBuffer()
            gzip.compress(json, into: &packed)
            figures.append(
                await rounds.figure(
                    "gzip of a 50-event batch", name, unit: "events/s", goal: goal,
                    note: "\(json.count) to \(packed.count) bytes"
                ) { seconds in
                    perSecond(seconds, items: Fixture.batchSize) {
                        packed.removeAll()
                        gzip.compress(json, into: &packed)
                    }
                })
        }
        return figures
    }

    private static func textEncodings(of json: WireBuffer, _ rounds: Rounds) async -> Figure {
        var packed = WireBuffer()
        GzipEncoder(level: 6).compress(json, into: &packed)
        var escaped = WireBuffer()
        var sum: Int32 = 0
        return await rounds.figure(
            "base64, Java hash, escaping", "all three in one pass", unit: "events/s", goal: "≥ 15 M"
        ) { seconds in
            perSecond(seconds, items: Fixture.batchSize) {
                escaped.removeAll()
                sum &+= packed.withUnsafeBytes {
                    PercentEncoding.sensorsModern.encodeBase64(of: $0, into: &escaped)
                }
            }
        }
    }

    /// Repeats `work` for some seconds.
    static func perSecond(_ seconds: Double, items: Int, _ work: () -> Void) -> Double {
        let begin = Machine.seconds
        var done = 0
        var now = begin
        while now < begin + seconds {
            for _ in 0..<16 { work() }
            done += 16 * items
            now = Machine.seconds
        }
        return Double(done) / (now - begin)
    }
}
