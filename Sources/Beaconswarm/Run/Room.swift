import DeviceSDK
import LiveEngine
import Scenario

/// Refuses runs that do not fit into the machine, before they begin.
enum Room {
    /// The share of the free memory that a forecast may come to: it is right to some tenths.
    private static let memoryShare = 0.9
    /// How many connections of devices in use may share a descriptor: the one that was idle longest is closed
    /// early then, which the report counts. Beyond that a run is about little else.
    private static let connectionsPerDescriptor = 4
    /// What an event loop waits on, is woken by, and has its timer from.
    private static let descriptorsPerLoop = 3
    /// Those that have theirs among the descriptors that no connection gets.
    private static let loopsInReserve = 16
    /// Up to so many devices fit anywhere, whatever they do.
    private static let smallFleet = 1000
    /// So many of the largest scenarios of a series are forecast: each takes half a second.
    private static let forecastsOfSeries = 4

    /// Whether a run has to be forecast to know that it fits.
    static func isNeeded(for document: ScenarioDocument) -> Bool {
        document.deviceCount > smallFleet || document.populations.contains { $0.system.prefill > 0 }
    }

    /// Refuses what the memory does not hold.
    ///
    /// - Parameters:
    ///   - connections: The most that may be open at once; `nil` in virtual time.
    ///   - copies: Runs of this size that go on side by side.
    /// - Throws: ``CommandFailure`` with code 104 that says how many devices would fit.
    static func checkMemory(
        _ forecast: Forecast, connections: Int?, copies: Int = 1, room: MemoryRoom? = MemoryRoom.now()
    ) throws(CommandFailure) {
        guard let room,
            let shortage = Room.shortage(forecast, connections: connections, copies: copies, room: room)
        else { return }
        let limit = Double(room.bytes) * memoryShare
        let fitting = forecast.devicesFitting(limit / Double(copies), connections: connections)
        throw CommandFailure(
            .invalidScenario, "\(shortage): " + LiveEngine.wouldFit(fitting) + "; nothing was run")
    }

    /// Why the memory does not hold a run, in words that end without a full stop; `nil` if it does.
    ///
    /// - Parameters:
    ///   - connections: The most that may be open at once; `nil` in virtual time.
    ///   - copies: Runs of this size that go on side by side.
    static func shortage(
        _ forecast: Forecast, connections: Int?, copies: Int = 1, room: MemoryRoom? = MemoryRoom.now()
    ) -> String? {
        guard let room else { return nil }
        let need = forecast.memory(connections: connections) * Double(copies)
        guard need > Double(room.bytes) * memoryShare else { return nil }
        let sideBySide = copies > 1 ? "\(copies) simulations side by side (--threads) of " : ""
        return
            "\(sideBySide)\(forecast.devices) devices need about \(Forecast.size(need)) of memory, and "
            + "\(Forecast.size(Double(room.bytes))) are free (by \(room.bound))"
    }

    /// Refuses a simulation that would not fit.
    static func checkMemory(of document: ScenarioDocument) throws(CommandFailure) {
        guard isNeeded(for: document) else { return }
        try checkMemory(Forecast(document), connections: nil)
    }

    /// Refuses a dataset, or a part of one, whose devices would not fit. A simulation remembers each event that bears no
    /// id, and its forecast is about little else; a dataset does not, and nothing is forecast where there are such.
    static func checkMemory(
        ofDataset document: ScenarioDocument, part: PartNumber?
    ) throws(CommandFailure) {
        let bearIDs = document.populations.allSatisfy { $0.tagsEvents && $0.system.tagsAllEvents }
        guard isNeeded(for: document), bearIDs else { return }
        try checkMemory(Forecast(document).share(of: part), connections: nil)
    }

    /// Refuses simulations of a series that would not fit side by side, by the largest of its scenarios.
    ///
    /// - Parameters:
    ///   - documents: The scenarios that are played.
    ///   - seeds: How many simulations there are of each.
    ///   - sideBySide: How many go on at a time.
    /// - Throws: ``CommandFailure`` with code 104 that says how many devices would fit.
    static func checkMemory(
        of documents: [ScenarioDocument], seeds: Int, sideBySide: Int
    ) throws(CommandFailure) {
        let largest = documents.filter { isNeeded(for: $0) }.sorted { $0.deviceCount > $1.deviceCount }
        for document in largest.prefix(forecastsOfSeries) {
            let asLarge = documents.count { $0.deviceCount >= document.deviceCount }
            try checkMemory(
                Forecast(document), connections: nil, copies: max(1, min(sideBySide, asLarge * seeds)))
        }
    }

    /// Refuses what the descriptors of the process do not hold. What they hold only by taking turns is a warning
    /// of the engine's, which counts the same connections.
    ///
    /// - Parameters:
    ///   - limit: The process' limit of descriptors.
    ///   - budget: Those of them that are for connections.
    /// - Throws: ``CommandFailure`` with code 104 that says how many devices would fit.
    static func checkDescriptors(_ forecast: Forecast, limit: Int, budget: Int) throws(CommandFailure) {
        guard limit >= MachineLimits.least else {
            throw CommandFailure(
                .invalidScenario,
                "the process may open \(limit) descriptors (ulimit -n), and a run needs \(MachineLimits.least) at "
                    + "least: no device would fit; nothing was run")
        }
        guard forecast.sockets > budget * connectionsPerDescriptor else { return }
        let perDevice = Double(forecast.sockets) / Double(max(1, forecast.devices))
        let fitting = LiveEngine.wouldFit(Int(Double(budget) / perDevice))
        let most = LiveEngine.fitting(Int(Double(budget * connectionsPerDescriptor) / perDevice))
        throw CommandFailure(
            .invalidScenario,
            "\(forecast.devices) devices keep up to \(forecast.sockets) connections, and the process may open "
                + "\(limit) descriptors (ulimit -n), which is enough for \(budget): \(fitting), and up to \(most) "
                + "are taken, which close connections early to share; nothing was run")
    }

    /// How many event loops the devices have, and the descriptors that are left for all else: each loop has some of its own.
    ///
    /// - Parameters:
    ///   - threads: As many as are asked for; `nil` for one per core.
    ///   - embeds: Whether the collector in the process has a core, too.
    /// - Throws: ``CommandFailure`` with code 64, where the descriptors do not suffice, that says how many would do.
    static func eventLoops(
        _ threads: Int?, embeds: Bool
    ) throws(CommandFailure) -> (count: Int, descriptors: Int) {
        let loops = max(1, threads ?? (embeds ? Host.cores - 1 : Host.cores))
        let limit = MachineLimits.raiseDescriptorLimit()
        let most = loopsInReserve + max(0, limit - MachineLimits.least) / descriptorsPerLoop
        guard loops > most else {
            return (loops, limit - max(0, loops - loopsInReserve) * descriptorsPerLoop)
        }
        throw CommandFailure(
            .usage,
            "--threads \(loops): each takes \(descriptorsPerLoop) descriptors, of which the process may open \(limit) "
                + "(ulimit -n): allowed are whole numbers from 1 to \(most)")
    }
}
