import LiveEngine
import Reporting
import Snapshots
import Timebase

/// What a part of a live run tells besides what it measured.
struct LivePart: Sendable {
    /// From the start to after the last answer, on the machine's wall clock.
    var wall: ClosedRange<Instant>
    /// Of the plan of user actions.
    var fingerprint: UInt64
    /// Without secrets.
    var target: String
    var conduct: Report.PartConduct
    var generator: Report.Generator
    var isInterrupted = false
    var endedBy: Report.EarlyEnd?
    /// When users were stopped before their time, on the run's clock.
    var usersStoppedAt: Instant?
    /// By origin.
    var serverClocks: [Server] = []
    /// What the target told of itself, if the part asked.
    var scraped: Report.TargetMetrics?
    /// Why the part says nothing about the collector.
    var problems: [Report.PartProblem] = []
    /// Of the file that it was read from: two copies of a part have the same.
    var checksum = ""

    /// How far a server's clock is ahead of this machine's.
    struct Server: Hashable, Sendable {
        var origin: String
        var least: Interval
        var most: Interval
        var answers: UInt64
    }
}

extension Report.PartClock {
    /// - Parameter server: The one whose answers tell most.
    init(_ kernel: KernelClock?, server: LivePart.Server?) {
        self.init()
        isSynchronised = kernel?.isSynchronised
        kernelError = kernel.map { $0.maximumError.fractionalSeconds * 1000 }
        guard let server else { return }
        let (least, most) = (server.least.fractionalSeconds * 1000, server.most.fractionalSeconds * 1000)
        // The other way round: how far this machine is ahead of the server.
        aheadOfServer = -(least + most) / 2
        aheadError = (most - least) / 2
        answers = server.answers
    }
}

extension LivePart: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(wall.lowerBound)
        writer.write(wall.upperBound)
        writer.write(fingerprint)
        writer.write(target)
        conduct.write(to: &writer)
        generator.write(to: &writer)
        writer.write(isInterrupted)
        writer.write(endedBy?.cause.rawValue ?? "")
        writer.write(endedBy?.text ?? "")
        writer.write(each: serverClocks)
        writer.write(each: problems)
        writer.write(optional: scraped)
        writer.write(optional: usersStoppedAt)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        let (from, until): (Instant, Instant) = (try reader.value(), try reader.value())
        guard from <= until else { throw reader.impossible }
        wall = from...until
        fingerprint = try reader.unsigned()
        target = try reader.text()
        conduct = try reader.value()
        generator = try reader.value()
        isInterrupted = try reader.bool()
        let (cause, text) = (try reader.text(), try reader.text())
        endedBy = Report.EarlyEnd.Cause(rawValue: cause).map { Report.EarlyEnd(cause: $0, text: text) }
        serverClocks = try reader.values()
        problems = try reader.values()
        scraped = try reader.optional()
        usersStoppedAt = try reader.optional()
    }
}

extension LivePart.Server: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(origin)
        writer.write(least)
        writer.write(most)
        writer.write(answers)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        origin = try reader.text()
        least = try reader.value()
        most = try reader.value()
        answers = try reader.unsigned()
    }
}

extension Report.PartProblem: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(cause.rawValue)
        writer.write(text)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        guard let cause = VerdictRules.Cause(rawValue: try reader.text()) else { throw reader.impossible }
        self.init(cause: cause, text: try reader.text())
    }
}

extension Report.OwnFailure: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(name)
        writer.write(count)
        writer.write(text)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        self.init(name: try reader.text(), count: try reader.unsigned(), text: try reader.text())
    }
}

extension Report.PartConduct: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        for value in [marginSeconds, lagP99, cpuUtilization] { writer.write(value.bitPattern) }
        writer.write(saturated)
        for count in [captured, uploads, memoryBytes] { writer.write(count) }
        writer.write(eventLoops)
        writer.write(cores)
        writer.write(operatingSystem)
        writer.write(clock.isSynchronised.map { $0 ? 1 : 2 } ?? 0)
        for value in [clock.kernelError, clock.aheadOfServer, clock.aheadError] {
            writer.write(optional: value?.bitPattern)
        }
        writer.write(clock.answers)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        marginSeconds = Double(bitPattern: try reader.unsigned())
        lagP99 = Double(bitPattern: try reader.unsigned())
        cpuUtilization = Double(bitPattern: try reader.unsigned())
        saturated = try reader.bool()
        captured = try reader.unsigned()
        uploads = try reader.unsigned()
        memoryBytes = try reader.unsigned()
        eventLoops = try reader.int()
        cores = try reader.int()
        operatingSystem = try reader.text()
        let synchronised = try reader.int()
        clock.isSynchronised = synchronised == 0 ? nil : synchronised == 1
        for path in [\Report.PartClock.kernelError, \.aheadOfServer, \.aheadError] {
            let bits: UInt64? = try reader.optional()
            clock[keyPath: path] = bits.map(Double.init(bitPattern:))
        }
        clock.answers = try reader.unsigned()
    }
}

extension Report.Generator: Snapshotable {
    /// Everything but the lag, whose distribution the recorder has.
    func write(to writer: inout SnapshotWriter) {
        writer.write(saturated)
        writer.write(cpuUtilization.bitPattern)
        writer.write(eventLoops)
        for count in [
            connectionsRecycled, connectionsOpened, connectionsPeak, tlsHandshakes, tlsResumed,
            http2Connections, http2Streams,
        ] {
            writer.write(count)
        }
        for seconds in [tlsHandshakeSeconds, loopSeconds] { writer.write(seconds.bitPattern) }
        writer.write(each: ownFailures)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        saturated = try reader.bool()
        cpuUtilization = Double(bitPattern: try reader.unsigned())
        eventLoops = try reader.int()
        connectionsRecycled = try reader.unsigned()
        connectionsOpened = try reader.unsigned()
        connectionsPeak = try reader.unsigned()
        tlsHandshakes = try reader.unsigned()
        tlsResumed = try reader.unsigned()
        http2Connections = try reader.unsigned()
        http2Streams = try reader.unsigned()
        tlsHandshakeSeconds = Double(bitPattern: try reader.unsigned())
        loopSeconds = Double(bitPattern: try reader.unsigned())
        ownFailures = try reader.values()
    }

    /// Adds the generator of another part of the run: the busiest loop of all counts.
    mutating func merge(_ other: Report.Generator, of part: PartNumber) {
        saturated = saturated || other.saturated
        cpuUtilization = max(cpuUtilization, other.cpuUtilization)
        eventLoops += other.eventLoops
        connectionsRecycled += other.connectionsRecycled
        connectionsOpened += other.connectionsOpened
        connectionsPeak += other.connectionsPeak
        tlsHandshakes += other.tlsHandshakes
        tlsResumed += other.tlsResumed
        http2Connections += other.http2Connections
        http2Streams += other.http2Streams
        tlsHandshakeSeconds += other.tlsHandshakeSeconds
        loopSeconds += other.loopSeconds
        add(other.ownFailures, of: part)
    }

    /// Adds what the machine of another part of the run refused.
    mutating func add(_ failures: [Report.OwnFailure], of part: PartNumber) {
        for failure in failures {
            let text = "part \(part.text): \(failure.text)"
            if let known = ownFailures.firstIndex(where: { $0.name == failure.name }) {
                ownFailures[known].count += failure.count
                ownFailures[known].text += "; " + text
            } else {
                ownFailures.append(Report.OwnFailure(name: failure.name, count: failure.count, text: text))
            }
        }
    }
}
