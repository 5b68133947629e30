import Wire

extension ReportCodec<Report.RadioShares> {
    static var radios: ReportCodec {
        ReportCodec(fields.write) { node throws(ReportReadError) in
            let read = try fields.read(node)
            for radio in read.radios where radio.shares.count != read.seconds.count {
                throw ReportReadError(
                    key: "\(node.key).shares.\(radio.name)",
                    message: "expected \(read.seconds.count) values, found \(radio.shares.count)")
            }
            return read
        }
    }

    private static var fields: ReportCodec {
        object(
            Report.RadioShares(),
            [
                ReportField("devices", \.devices, .whole),
                ReportField("seconds", \.seconds, .list(.real)),
                ReportField("shares", \.radios, .named(\.name, .radio)),
            ])
    }
}

extension ReportCodec<Report.RadioShares.Radio> {
    fileprivate static var radio: ReportCodec {
        property(\.shares, .list(.real), of: Report.RadioShares.Radio("", shares: []))
    }
}
