import NIOCore
import NIOHTTP1
import Reporting
import Timebase
import Wire

/// Draws what is watched for all viewers together, and hands out what changed. Lives on one event loop, which has
/// nothing else to do.
final class WatchHub {
    let token: WatchToken
    private let watch: Watch
    private var viewers: [ObjectIdentifier: WatchViewer] = [:]
    private var board: WatchBoard
    private var budget = WatchBudget()
    private var seen: UInt64?
    private var metrics = MetricsPage()
    /// Whether the last word was said.
    private var isOver = false

    init(_ watch: Watch, token: WatchToken) {
        self.watch = watch
        self.token = token
        // The names of two processes differ, or a browser would take the one's versions for the other's.
        board = WatchBoard(name: String(WatchToken().text.prefix(8)))
        board.take([LivePage.log([])])
    }

    /// The page's frame.
    var frame: [UInt8] { LivePage.frame(title: watch.title) }

    /// The figures in Prometheus's format, of the latest state.
    func metricsText() -> [UInt8] { metrics.text(of: watch) }

    /// Whether there is something to be ended.
    var canEnd: Bool { watch.canEnd }

    func askForEnd(atOnce: Bool) { watch.askForEnd(atOnce: atOnce) }

    // MARK: - Viewers

    var viewerCount: Int { viewers.count }

    /// Begins to send to a channel whose response's head is written.
    ///
    /// - Parameter id: Of the last event that the viewer has seen; `nil` for one who has seen nothing.
    func join(_ channel: any Channel, since id: String?) {
        let viewer = WatchViewer(channel, seen: board.version(of: id))
        viewers[ObjectIdentifier(channel)] = viewer
        draw { send(to: viewer) }
        // Who was let in before the door closed, and comes only now, hears it as well.
        if isOver { viewer.end(lastWord) }
    }

    func leave(_ channel: any Channel) { viewers[ObjectIdentifier(channel)] = nil }

    /// Once a second: everybody hears how far the work is, and what was drawn anew.
    func tick() {
        guard !viewers.isEmpty else { return }
        draw {
            for viewer in viewers.values { send(to: viewer) }
        }
    }

    /// The last word to everybody, with the report.
    func end() {
        isOver = true
        guard !viewers.isEmpty else { return }
        renew()
        let lastWord = lastWord
        for viewer in viewers.values {
            send(to: viewer)
            viewer.end(lastWord)
        }
    }

    private var lastWord: ServerSentEvent {
        let standing = watch.standing
        let last = JSONNode.object([
            ("text", .text(standing.ending ?? "")), ("foot", .text(standing.farewell)),
        ])
        return .event("end", last)
    }

    /// Draws what is due, hands it out, and notes what both cost.
    private func draw(_ handOut: () -> Void) {
        let now = Host.monotonic
        let isDue = budget.isDue(at: now)
        let began = Host.threadTime
        if isDue { renew() }
        handOut()
        if isDue { budget.note(cost: Host.threadTime - began, at: now) }
    }

    private func renew() {
        board.take([LivePage.log(watch.standing.said)])
        guard let edition = watch.edition(after: seen) else { return }
        seen = edition.number
        board.take(edition.content.parts)
    }

    private func send(to viewer: WatchViewer) {
        viewer.send(board, status: .event("status", status))
    }

    private var status: JSONNode {
        let standing = watch.standing
        // A tab in the background shows its title alone.
        let begin = standing.outcome ?? standing.share.map { "\(Int($0 * 100)) %" }
        let head = begin.map { "\($0) · " } ?? ""
        return .object([
            ("line", .text(standing.line)), ("share", standing.share.map { .number($0) } ?? .null),
            ("title", .text("\(head)\(watch.title) – Beaconswarm")), ("asked", .int(watch.asked)),
        ])
    }
}

/// Who hears what is new. A viewer who takes in nothing for a while misses states, not the latest one; one who takes in
/// nothing at all is dropped.
final class WatchViewer {
    /// How long somebody may take in nothing.
    static let patience = Interval.seconds(20)

    private let channel: any Channel
    private var seen: Int
    private var blockedSince: Interval?

    /// - Parameter seen: The version of the board that is known already.
    init(_ channel: any Channel, seen: Int) {
        self.channel = channel
        self.seen = seen
    }

    func send(_ board: WatchBoard, status: ServerSentEvent) {
        guard channel.isWritable else {
            let now = Host.monotonic
            let since = blockedSince ?? now
            blockedSince = since
            if now - since >= WatchViewer.patience { channel.close(promise: nil) }
            return
        }
        blockedSince = nil
        write(status)
        let parts = board.parts(since: seen)
        if !parts.isEmpty {
            seen = board.version
            let list = parts.map { JSONNode.object([("id", .text($0.id)), ("html", .text($0.html))]) }
            write(.event("parts", .list(list), id: board.id))
        }
        channel.flush()
    }

    /// Says a last word, and closes once it is sent.
    func end(_ event: ServerSentEvent) {
        write(event)
        let channel = channel
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    private func write(_ event: ServerSentEvent) {
        let buffer = channel.allocator.buffer(bytes: event.bytes)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: nil)
    }
}

/// An event of an event stream (HTML, 9.2): its data is JSON on one line.
struct ServerSentEvent {
    let bytes: [UInt8]

    /// How long a browser waits before it asks again, milliseconds.
    static let retry = ServerSentEvent(bytes: Array("retry: 1500\n\n".utf8))

    static func event(_ name: String, _ data: JSONNode, id: String? = nil) -> ServerSentEvent {
        let head = (id.map { "id: \($0)\n" } ?? "") + "event: \(name)\ndata: "
        return ServerSentEvent(bytes: Array(head.utf8) + data.bytes(.compact) + Array("\n\n".utf8))
    }
}
