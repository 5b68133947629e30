import Accounting
import AppModel
import DeviceSDK
import Timebase
import Wire

/// Writes Kit's files, the archive of a start and the request that carries it.
///
/// A pure function of rows and device: a row has the same bytes each time.
struct KitEncoder {
    private let plan: PopulationPlan
    private let codes: KitRules.TypeCodes
    private let views: AppViews
    private let zip = ZipEncoder()
    /// The head of an upload without its bytes: of one that is handed over, or that is not open any more.
    let carriedHead: RequestHead
    private let streams: PopulationStreams

    init(plan: PopulationPlan, rules: KitRules, views: AppViews) {
        self.plan = plan
        codes = rules.typeCodes
        self.views = views
        streams = plan.streams
        carriedHead = RequestHead(
            method: .post, path: plan.target.pathAndQuery, headerLines: plan.target.headerLines(after: ""))
    }

    /// Whether a row carries the harness's id: controls' rows do, in their info.
    func saysID(_ record: EventRecord) -> Bool {
        plan.tagsEvents && KitTemplate(rawValue: record.template)?.isControl ?? false
    }

    // MARK: Names

    /// The name of a day's file.
    func logName(day: Int64, of device: borrowing KitDevice) -> String {
        let midnight = Instant(milliseconds: day * 86_400_000)
        return "\(CivilTime(midnight).dateText)_userStatisics_\(handset(of: device).uuid).log"
    }

    /// By which a collector knows a row without an id: the file's name and the line's number.
    func naturalKey(day: Int64, line: Int64, of device: borrowing KitDevice) -> NaturalKey {
        var text = WireBuffer(logName(day: day, of: device))
        text.append(0x1F as UInt8)
        text.appendDecimal(line)
        let hash = text.withUnsafeBytes { Hash128($0) }
        return NaturalKey(high: hash.high, low: hash.low)
    }

    private func handset(of device: borrowing KitDevice) -> KitHandset {
        KitHandset(
            traits: streams.stream(.traits, index: Int(device.index)),
            identity: streams.stream(.identity, index: Int(device.index)))
    }

    // MARK: The request

    /// Writes the body of the device's open upload.
    func encode(_ device: borrowing KitDevice, into body: inout WireBuffer) -> RequestHead {
        guard let request = device.request else { return carriedHead }
        let handset = handset(of: device)
        let files = files(of: device, until: request.end, handset)
        var archive = WireBuffer()
        // Names are the SDK's own, and a log of 4 GiB would be days of a thousand rows a second.
        guard (try? zip.encode(files, into: &archive)) != nil else {
            preconditionFailure("an archive of \(files.count) logs cannot be made")
        }
        // Whatever days it contains.
        let yesterday = device.clock.reading(at: request.plannedAt - .hours(24)).dateText
        var draw = streams.stream(.retries, index: Int(device.index)).child(UInt64(request.number))
        let boundary = MultipartBoundary(
            UInt32(truncatingIfNeeded: draw.next()), UInt32(truncatingIfNeeded: draw.next()))
        body.appendMultipartFile(
            name: "file", filename: "\(yesterday)_userStatisics_\(handset.uuid).zip", contentType: "zip",
            content: archive, boundary: boundary)
        let version = Self.ascii(plan.app.versions[Int(device.epochs.current)], from: 0x20)
        var lines = "Content-Type: multipart/form-data; boundary=\(boundary.text)\r\n"
        lines +=
            "User-Agent: \(userAgentName)/\(version) (iPhone; iOS \(handset.system); Scale/\(handset.scale))\r\n"
        return RequestHead(
            method: .post, path: plan.target.pathAndQuery, headerLines: plan.target.headerLines(after: lines))
    }

    /// `CFBundleName` in ASCII, as AFNetworking makes it; the last part of the bundle's identifier where the
    /// name has none.
    private var userAgentName: String {
        let name = Self.ascii(plan.app.displayName, from: 0x21)
        guard name.isEmpty else { return name }
        let last = plan.app.bundleIdentifier.split(separator: ".").last.map(String.init) ?? ""
        let identifier = Self.ascii(last, from: 0x20)
        return identifier.isEmpty ? "App" : identifier
    }

    /// What a header can hold of a text: its characters of ASCII from a lowest one on.
    private static func ascii(_ text: String, from lowest: UInt32) -> String {
        let characters = text.unicodeScalars.filter { $0.value >= lowest && $0.value < 0x7F }
        return String(String.UnicodeScalarView(characters))
    }

    /// Appends the logs that the device's open upload has in its archive.
    func appendLogs(of device: borrowing KitDevice, until end: UInt32, to plain: inout WireBuffer) {
        for file in files(of: device, until: end, handset(of: device)) {
            PlainBody.appendLog(name: file.name, content: file.content, to: &plain)
        }
    }

    /// Appends a log with one row, on its line: those between the device's and it are empty.
    func appendLog(
        of record: EventRecord, line: Int64, of device: borrowing KitDevice, to plain: inout WireBuffer
    ) {
        let version = version(device.epochs[record.epoch])
        var content = WireBuffer(handset(of: device).line(version: version))
        for _ in 2..<max(2, line) { content.append(UInt8(ascii: "\n")) }
        append(record, of: device, to: &content)
        PlainBody.appendLog(
            name: logName(day: device.day(of: record.capturedAt), of: device), content: content, to: &plain)
    }

    private func files(
        of device: borrowing KitDevice, until end: UInt32, _ handset: KitHandset
    ) -> [ZipFile] {
        var files: [ZipFile] = []
        device.forEachRow { row, day, line in
            guard row.sequence < end else { return }
            let local = device.clock.reading(at: row.capturedAt)
            let modified = DOSTime(
                year: local.year, month: local.month, day: local.day, hour: local.hour,
                minute: local.minute, second: local.second)
            if line == 2 {
                var content = WireBuffer()
                // Written with the day's first row, by the version of that moment.
                content.append(
                    contentsOf: handset.line(version: version(device.epochs[row.epoch])).utf8)
                files.append(
                    ZipFile(name: logName(day: day, of: device), modified: modified, content: content))
            }
            append(row, of: device, to: &files[files.count - 1].content)
            files[files.count - 1].modified = modified
        }
        return files
    }

    private func version(_ epoch: UInt16) -> (name: String, build: Int) {
        (plan.app.versions[Int(epoch)], Int(epoch) + 1)
    }

    /// Appends `\n` and `TypeCode,epochSeconds,content,remark`.
    func append(
        _ record: EventRecord, of device: borrowing KitDevice, to content: inout WireBuffer
    ) {
        guard let template = KitTemplate(rawValue: record.template) else { return }
        content.append(UInt8(ascii: "\n"))
        content.appendDecimal(template.code(codes))
        content.append(UInt8(ascii: ","))
        // `%.f` of an `NSDate`, which has more than milliseconds: to the nearest second.
        let time = record.capturedAt + plan.clockSkew(index: Int(device.index))
        content.appendDecimal(Int64((Double(time.nanoseconds) / 1e9).rounded(.toNearestOrEven)))
        content.append(UInt8(ascii: ","))
        content.append(contentsOf: text(of: record, template).utf8)
        if saysID(record) {
            content.append(UInt8(ascii: "~"))
            content.append(contentsOf: EventID(device: device.number, sequence: record.sequence).text.utf8)
        }
        content.append(UInt8(ascii: ","))
        content.append(contentsOf: template.remark.utf8)
    }

    /// The row's content, without the id.
    private func text(of record: EventRecord, _ template: KitTemplate) -> String {
        guard template != .launch else { return plan.app.appDelegate }
        let view = ViewReference(screen: record.screen, node: record.control, detail: record.detail)
        return template.isControl ? views.behaviourData(view) : views.node(view).className
    }
}
