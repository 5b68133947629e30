import Foundation
import Scenario
import Synchronization

@testable import Beaconswarm

/// An encryption that turns bytes round and moves them by the factor: not its own inverse.
struct Turning: EncryptionService {
    var codec = "turn-1"
    /// Whether the collector's side can read what the devices' side writes.
    var isReadable = true

    func encrypt(_ body: [UInt8], factor: UInt8) -> [UInt8] { body.reversed().map { $0 &+ factor } }
    func decrypt(_ body: [UInt8], factor: UInt8) -> [UInt8]? {
        isReadable ? body.reversed().map { $0 &- factor } : nil
    }
}

struct OtherEncryption: EncryptionService {
    var codec = "turn-1"
    func encrypt(_ body: [UInt8], factor: UInt8) -> [UInt8] { body }
    func decrypt(_ body: [UInt8], factor: UInt8) -> [UInt8]? { body }
}

struct KeyedEncryption: EncryptionService, Equatable {
    var key: UInt8
    var codec: String { "key" }
    func encrypt(_ body: [UInt8], factor: UInt8) -> [UInt8] { body.map { $0 ^ key } }
    func decrypt(_ body: [UInt8], factor: UInt8) -> [UInt8]? { encrypt(body, factor: factor) }
}

/// Stores nothing.
struct PlainEncryption: EncryptionService {
    var codec: String { "plain" }
    func encrypt(_ body: [UInt8], factor: UInt8) -> [UInt8] { body }
    func decrypt(_ body: [UInt8], factor: UInt8) -> [UInt8]? { body }
}

final class SharedEncryption: EncryptionService {
    var codec: String { "shared" }
    func encrypt(_ body: [UInt8], factor: UInt8) -> [UInt8] { body }
    func decrypt(_ body: [UInt8], factor: UInt8) -> [UInt8]? { body }
}

/// Drops one type, marks another, and moves all requests elsewhere if it is told to.
struct Watcher: EventInterceptor {
    var dropped = "PAGE"
    var template: String?

    func eventDidBuild(_ event: inout EventFields) -> InterceptorVerdict {
        if event.event.type == "CUSTOM" { event["attributes.mark"] = .text("own \(event.names.count > 5)") }
        return event.event.type == dropped ? .drop : .keep
    }
    func requestTemplate(for channel: UploadChannel) -> String? { template }
}

/// A database that does as it is told, and counts what it was asked.
struct Scripted: EventDatabase {
    enum Habit: Sendable { case sound, bounded(Int), forgetful, refusing, undeletable }
    let habit: Habit
    var events: [StoredEvent] = []

    var ids: [UInt32] { events.map(\.id) }
    mutating func close() { if case .forgetful = habit { events = [] } }
    mutating func insert(_ new: [StoredEvent]) -> InsertOutcome {
        if case .refusing = habit { return .failed }
        events += new
        guard case .bounded(let limit) = habit, events.count > limit else { return .written() }
        let evicted = events.prefix(events.count - limit).map(\.id)
        events.removeFirst(evicted.count)
        return .written(evicting: evicted)
    }
    mutating func delete(_ ids: [UInt32]) -> Bool {
        if case .undeletable = habit { return false }
        events.removeAll { ids.contains($0.id) }
        return true
    }
}

/// Plays a small scenario in virtual time with services registered.
struct ServicesBench {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    static func scenario(
        version: String = "3.2.1", sdk: String = "{}", timeline: String = "[]", others: String = ""
    ) -> String {
        """
        {"name": "services", "seed": 4, "duration": "20m", "drain": "30s", "populations": [
          {"name": "own", "devices": 6, "system": "growing", "version": "\(version)", "sdk": \(sdk), "persona": "power"}
          \(others)], "timeline": \(timeline)}
        """
    }

    func source(_ text: String) throws -> ScenarioSource {
        let path = scratch.file("scenario-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return ScenarioSource(path: path)
    }

    func play(
        _ text: String = scenario(), for population: String? = nil, _ services: SDKServices? = nil
    ) async throws -> RunResult {
        var source = try source(text)
        if let services { source.register(services, for: population) }
        var options = RunOptions(source: source)
        options.quiet = true
        options.out = scratch.file(UUID().uuidString)
        return try await Beaconswarm.play(options, in: .virtual)
    }

    func failure(_ text: String, for population: String? = nil, _ services: SDKServices) throws
        -> CommandFailure?
    {
        var source = try source(text)
        source.register(services, for: population)
        do {
            _ = try LoadedScenario(source)
            return nil
        } catch { return error }
    }
}

func database(_ habit: Scripted.Habit) -> SDKServices {
    var services = SDKServices()
    services.database = { _ in Scripted(habit: habit) }
    return services
}

/// Files that a maker was asked for, on any thread.
final class SharedFiles: Sendable {
    private let state = Mutex<[DatabaseFile]>([])
    var files: [DatabaseFile] { state.withLock { $0 } }
    func note(_ file: DatabaseFile) { state.withLock { $0.append(file) } }
}
