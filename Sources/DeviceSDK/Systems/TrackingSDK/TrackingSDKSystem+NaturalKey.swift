package import Accounting
package import DeviceSDK
package import Wire

extension TrackingSDKSystem {
    /// The key by which a collector knows an event that carries no `bs_id`: the hash of its name, its time and
    /// its parameters, sorted by name, each after a comma; in normal form, with U+001F between the three.
    /// The SDK has no id of its own for events, so two equal events of one moment cannot be told apart, on
    /// any device.
    package func naturalKey(
        of record: EventRecord, _ disposition: Disposition, on device: borrowing Device
    ) -> NaturalKey? {
        guard !plan.tagsEvents else { return nil }
        let index = Int(device.index)
        var json = WireBuffer()
        encoder.encode(
            record, index: index, device: device.number, skew: plan.clockSkew(index: index), into: &json)
        let key = json.withUnsafeBytes { bytes in
            // The encoder's own text is JSON.
            try? parser.withParsed(bytes) { Self.key(of: $0, name: labels[Int(record.template)].name) }
        }
        return key.map { NaturalKey(high: $0.high, low: $0.low) }
    }

    package func encodeAlone(
        _ record: EventRecord, on device: borrowing Device, into plain: inout WireBuffer
    ) -> PlainBody? {
        let index = Int(device.index)
        plain.append(UInt8(ascii: "["))
        encoder.encode(
            record, index: index, device: device.number, skew: plan.clockSkew(index: index), into: &plain)
        plain.append(UInt8(ascii: "]"))
        return .list
    }

    private static func key(of event: JSONValue, name: String) -> Hash128 {
        let separator: UInt8 = 0x1F
        var text = WireBuffer(name)
        text.append(separator)
        event["timestamp"]?.appendJSON(to: &text)
        text.append(separator)
        var members: [(name: [UInt8], json: [UInt8])] = []
        if let parameters = event["parameters"] {
            for (name, value) in parameters.members {
                var json = WireBuffer()
                json.appendJSONString(utf8: name)
                json.append(UInt8(ascii: ":"))
                value.appendJSON(to: &json)
                members.append((Array(name), json.bytes))
            }
        }
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        for member in members {
            text.append(UInt8(ascii: ","))
            text.append(contentsOf: member.json)
        }
        return text.withUnsafeBytes { Hash128($0) }
    }
}
