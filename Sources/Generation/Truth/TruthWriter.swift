package import Accounting
import AppModel
package import Datasets
import DeviceSDK
import Files
import Timebase
import VirtualEngine
import Wire
import World

/// Writes the truth: what became of each event that was captured, and who captured it.
///
/// Device by device, a bucket of them in memory at a time.
package final class TruthWriter {
    let plans: DatasetPlans
    private let lives: [PopulationLives]
    private let labels: [[EventLabel]]
    private let names: [String]
    private let sinks: (truth: TableSink, users: TableSink, devices: TableSink, sessions: TableSink)
    private let answers: AnswerKey
    private let shape: DatasetShape
    private let patterns: PatternKey
    /// Where events go that never arrived.
    private let raw: RawLines?
    private var unsent = UnsentTexts()
    private var days: DayClock
    /// A name or a list of rows that is being written.
    private var text = WireBuffer()

    /// - Parameter first: The number of the first of ``TruthTables/all`` in the output.
    package init(
        _ plans: DatasetPlans, labels: [[EventLabel]], zone: ZoneOffsets, to output: DatasetOutput,
        first: Int, answers: AnswerKey, shape: DatasetShape, patterns: PatternKey, raw: RawLines? = nil
    ) {
        self.raw = raw
        self.shape = shape
        self.plans = plans
        names = plans.names
        self.labels = labels
        self.answers = answers
        self.patterns = patterns
        days = DayClock(zone)
        lives = plans.populations.map { PopulationLives($0, until: plans.usersEnd) }
        let sinks = TruthTables.all.enumerated().map { TableSink($1, number: first + $0, of: output) }
        self.sinks = (sinks[0], sinks[1], sinks[2], sinks[3])
    }

    /// Writes the devices of a bucket.
    ///
    /// - Parameters:
    ///   - fates: All of theirs, in any order.
    ///   - copies: All of theirs, by row.
    ///   - unsent: The JSON of events that ended before they arrived.
    func write(
        _ devices: Range<Int>, fates: [FateRecord], copies: [CopyRecord], unsent: UnsentTexts
    ) throws(FileFailure) {
        self.unsent = unsent
        let fates = fates.sorted { ($0.device, $0.sequence) < ($1.device, $1.sequence) }
        let copies = copies.sorted { ($0.device, $0.sequence, $0.row) < ($1.device, $1.sequence, $1.row) }
        var (fate, copy) = (0, 0)
        for device in devices where plans.plays(UInt32(device)) {
            let begin = (fate, copy)
            while fate < fates.count, fates[fate].device == device { fate += 1 }
            while copy < copies.count, copies[copy].device == device { copy += 1 }
            try write(UInt32(device), fates[begin.0..<fate], copies[begin.1..<copy])
        }
    }

    func finish() throws(FileFailure) {
        for sink in [sinks.truth, sinks.users, sinks.devices, sinks.sessions] { try sink.flush() }
    }

    private func write(
        _ number: UInt32, _ fates: ArraySlice<FateRecord>, _ copies: ArraySlice<CopyRecord>
    ) throws(FileFailure) {
        let plan = plans.populations.plan(ofDevice: number)
        let index = Int(number - plan.firstDevice)
        let life = lives[plan.index].life(of: index)
        var device = DeviceTruth(
            number: number, index: index, plan: plan, system: plans.systems[plan.index], life: life,
            skew: plan.clockSkew(index: index),
            radio: RadioTrace(plan, index: index, schedule: plans.configuration.schedule))
        answers.beginUser()
        shape.begin(device)
        patterns.beginDevice()
        var rest = copies
        for fate in fates {
            let own = rest.prefix { $0.sequence == fate.sequence }
            rest = rest[own.endIndex...]
            try write(fate, own, of: &device)
        }
        device.endSession()
        answers.endUser()
        shape.endDevice(device)
        patterns.endDevice(device, lives[plan.index])
        try writeSessions(of: device)
        try writeUser(of: device)
        try writeDevice(device)
    }

    private func write(
        _ fate: FateRecord, _ copies: ArraySlice<CopyRecord>, of device: inout DeviceTruth
    ) throws(FileFailure) {
        let captured = Instant(nanoseconds: fate.capturedAt)
        let first = copies.first
        let milliseconds = captured.milliseconds
        let day = days.day(ofMilliseconds: milliseconds)
        var event = TruthEvent(
            population: device.plan.index, label: Int(fate.label), capturedAt: milliseconds,
            day: day.number, radio: device.radio.kind(at: captured),
            disposition: Disposition(code: fate.disposition) ?? .pending(.stored), copies: copies.count)
        event.lateness = first.map { EventTable.milliseconds($0.at) - milliseconds }
        event.day = day.number
        let session = device.life.session(at: captured)
        device.note(event, in: session)
        answers.note(event, day: day.text)
        answers.note(SealedEvent(fate, event.disposition), population: device.plan.index)
        shape.note(event, at: captured, in: session)
        patterns.note(event, day: day.text, of: device)
        put(fate, event, device.name(of: session), day.text, copies, of: device)
        try sinks.truth.flushIfFull()
        guard copies.isEmpty, let raw else { return }
        let id = EventID(device: fate.device, sequence: fate.sequence)
        if let text = unsent[id] { try raw.write(text, event.disposition) }
    }

    private func put(
        _ fate: FateRecord, _ event: TruthEvent, _ session: String?, _ day: String,
        _ copies: ArraySlice<CopyRecord>, of device: DeviceTruth
    ) {
        let label = labels[device.plan.index][event.label]
        let name = names[device.plan.index]
        var text = WireBuffer()
        swap(&text, &self.text)
        defer { swap(&text, &self.text) }
        sinks.truth.fill { batch in
            TruthWriter.putID(of: fate, &text, &batch)
            batch.put(device.user)
            batch.putOptional(session)
            batch.put(name)
            batch.put(device.system)
            batch.put(label.type)
            batch.put(label.name)
            batch.put(event.capturedAt)
            batch.put((Instant(nanoseconds: fate.capturedAt) + device.skew).milliseconds)
            batch.put(day)
            batch.put(event.day)
            batch.put(event.radio.name)
            batch.put(event.disposition.fate.rawValue)
            batch.putOptional(event.disposition.cause)
            batch.put(Int64(fate.attempts))
            let isAcknowledged = fate.ackedAt < Instant.distantFuture.nanoseconds
            batch.putOptional(isAcknowledged ? EventTable.milliseconds(fate.ackedAt) : nil)
            TruthWriter.put(copies, event, &text, &batch)
            batch.endRow()
        }
    }

    private static func putID(of fate: FateRecord, _ text: inout WireBuffer, _ batch: inout TableBatch) {
        text.removeAll()
        text.appendDecimal(UInt64(fate.device))
        text.append(UInt8(ascii: "-"))
        text.appendDecimal(UInt64(fate.sequence))
        text.withUnsafeBytes { batch.put(utf8: $0) }
        batch.put(Int64(fate.device))
        batch.put(Int64(fate.sequence))
    }

    private static func put(
        _ copies: ArraySlice<CopyRecord>, _ event: TruthEvent, _ text: inout WireBuffer,
        _ batch: inout TableBatch
    ) {
        batch.put(Int64(copies.count))
        batch.putOptional(copies.first?.row)
        text.removeAll()
        for copy in copies {
            if !text.isEmpty { text.append(UInt8(ascii: " ")) }
            text.appendDecimal(copy.row)
        }
        if copies.isEmpty {
            batch.putNull()
        } else {
            text.withUnsafeBytes { batch.put(utf8: $0) }
        }
        batch.putOptional(copies.first.map { EventTable.milliseconds($0.at) })
        batch.putOptional(event.lateness)
    }
}

// MARK: - Who captured them

extension TruthWriter {
    private func writeSessions(of device: DeviceTruth) throws(FileFailure) {
        for session in device.life.sessions {
            let from = session.from.milliseconds
            let day = days.day(ofMilliseconds: from)
            let length = session.until.map { $0.milliseconds - from }
            answers.noteSession(day: day.text, length: length)
            patterns.noteSession(day: day.text, population: device.plan.index)
            let counts = device.counts[session.number] ?? (0, 0)
            sinks.sessions.batch.put(device.text(of: session))
            sinks.sessions.batch.put(device.user)
            sinks.sessions.batch.put(Int64(device.number))
            sinks.sessions.batch.put(names[device.plan.index])
            sinks.sessions.batch.put(day.text)
            sinks.sessions.batch.put(day.number)
            sinks.sessions.batch.put(from)
            sinks.sessions.batch.putOptional(session.until?.milliseconds)
            sinks.sessions.batch.putOptional(length)
            sinks.sessions.batch.putOptional(session.end?.rawValue)
            sinks.sessions.batch.put(session.isCold)
            sinks.sessions.batch.put(Int64(session.installation))
            sinks.sessions.batch.put(Int64(counts.captured))
            sinks.sessions.batch.put(Int64(counts.arrived))
            sinks.sessions.batch.endRow()
            try sinks.sessions.flushIfFull()
        }
    }

    private func writeUser(of device: DeviceTruth) throws(FileFailure) {
        let plan = device.plan
        let zone = plan.calendar.zone(of: device.index).offset(at: plan.start).offset
        sinks.users.batch.put(device.user)
        sinks.users.batch.put(Int64(device.number))
        sinks.users.batch.put(names[plan.index])
        sinks.users.batch.put(lives[plan.index].persona(of: device.index))
        sinks.users.batch.put(plan.app.name)
        sinks.users.batch.put(zone.nanoseconds / 60_000_000_000)
        sinks.users.batch.putOptional(lives[plan.index].zoneName(of: device.index))
        sinks.users.batch.putOptional(lives[plan.index].arrival(of: device.index)?.milliseconds)
        sinks.users.batch.putOptional(device.activeDays.min())
        sinks.users.batch.putOptional(device.activeDays.max())
        sinks.users.batch.put(Int64(device.activeDays.count))
        sinks.users.batch.put(Int64(device.life.sessions.count))
        sinks.users.batch.put(Int64(device.life.launches))
        sinks.users.batch.put(Int64(device.life.accounts))
        sinks.users.batch.putOptional(device.life.accounts > 0 ? device.identity.loginID : nil)
        sinks.users.batch.putOptional(device.life.loggedInAt?.milliseconds)
        sinks.users.batch.putOptional(device.life.signedUpAt?.milliseconds)
        sinks.users.batch.putOptional(device.life.deletions.first?.milliseconds)
        sinks.users.batch.putOptional(device.life.returns.first?.milliseconds)
        sinks.users.batch.put(Int64(device.life.returns.count + 1))
        sinks.users.batch.endRow()
        try sinks.users.flushIfFull()
    }

    private func writeDevice(_ device: DeviceTruth) throws(FileFailure) {
        let plan = device.plan
        let versions = plan.app.versions
        sinks.devices.batch.put(Int64(device.number))
        sinks.devices.batch.put(device.user)
        sinks.devices.batch.put(names[plan.index])
        sinks.devices.batch.put(device.system)
        sinks.devices.batch.put(plan.system.versionName)
        sinks.devices.batch.put(
            versions.indices.contains(device.life.version) ? versions[device.life.version] : "")
        sinks.devices.batch.putOptional(device.identity.anonymousID)
        sinks.devices.batch.putOptional(device.identity.model)
        sinks.devices.batch.putOptional(device.identity.systemVersion)
        sinks.devices.batch.putOptional(lives[plan.index].installation(of: device.index)?.milliseconds)
        sinks.devices.batch.put(device.skew.nanoseconds / 1_000_000)
        for count in [
            device.captured, device.delivered, device.suppressed, device.lost, device.pending,
            device.arrived, device.copies,
        ] { sinks.devices.batch.put(Int64(count)) }
        sinks.devices.batch.endRow()
        try sinks.devices.flushIfFull()
    }
}
