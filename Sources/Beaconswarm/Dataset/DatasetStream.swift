import DeviceSDK
import Files
import Generation
import Glibc
import Timebase
import VirtualEngine

/// Sends the rows of a dataset to standard output, before the dataset of those that were sent is written.
struct DatasetStream {
    /// How far a stream of rows came.
    enum End {
        case nothing, all
        /// It was ended after the rows of an instant.
        case last(Instant)
    }

    let options: GenerateOptions
    let console: RunConsole
    let interruption: Interruption

    /// Sends rows until the first signal or the end.
    ///
    /// - Returns: How far they came, and how many uploads began until then.
    func send(
        _ plans: DatasetPlans, _ stores: RunStores
    ) throws(FileFailure) -> (end: End, uploads: UInt64) {
        let table = EventTable(plans, keepsIDs: options.tagsEvents)
        let stream = RowStream(
            table, isRaw: options.raw, rate: options.rate ?? GenerateOptions.defaultRate)
        let play = try DatasetPlay(
            plans, fields: table.fields, folder: options.out, start: plans.configuration.schedule.start,
            spools: "stream")
        play.begin(stores.fleetFactory)
        let isOver = try send(play, to: stream)
        guard let last = stream.last else { return (isOver ? .nothing : .all, play.uploads) }
        console.say("\(stream.rows.of("row")) sent; writing their dataset to \(options.out)")
        return (isOver ? .last(last) : .all, play.uploads)
    }

    /// - Returns: Whether nobody wants any more; also where there was no row.
    private func send(_ play: DatasetPlay, to stream: RowStream) throws(FileFailure) -> Bool {
        defer { play.end() }
        var isOver = true
        try play.forEachRow { row throws(FileFailure) in
            isOver = try !stream.send(row) { self.interruption.isRequested }
            return !isOver
        }
        try stream.flush()
        return isOver
    }

    /// Leaves nothing of a dataset of which no row was sent.
    func removeFolder() throws(FileFailure) {
        // The players' spools go with the players, a moment later.
        for name in Folder.names(in: options.out) { try Folder.remove("\(options.out)/\(name)") }
        rmdir(options.out)
        console.say("no row was sent, so there is no dataset to be written")
    }
}
