import Timebase

/// Something to tell of a device, before neighbours that are alike become one sentence.
struct StoryItem {
    enum What {
        case line(String)
        case uploads(ToldUploads)
        case radio(RadioGaps)
    }

    var at: Instant
    /// The index in the trace of the step that it begins with, which tells causes from effects at one instant; below 0 for
    /// what no step tells.
    var step: Int
    var what: What

    /// Of what happens at one instant, sessions are told first: it happens in them.
    static let session = -2
    /// Then what the radio does by itself, for nothing that a device does changes it.
    static let radio = -1
}

/// Makes sentences of what happened on a device, in order: each in one of its own, or neighbours that are alike in one, which
/// are uploads that ended alike, and times without a radio.
struct StoryJoiner {
    private let joins: Bool
    private let context: DeviceContext
    private(set) var lines: [StoryLine] = []
    /// Uploads and times without a radio do not part each other: each of an outage's uploads may have a time of its own.
    private var uploads: ToldUploads?
    private var gaps: RadioGaps?

    /// - Parameter joins: Whether neighbours that are alike are one sentence.
    init(_ items: [StoryItem], _ context: DeviceContext, joins: Bool) {
        self.joins = joins
        self.context = context
        // The order in which they came decides last.
        let order = items.indices.sorted {
            (items[$0].at, items[$0].step, $0) < (items[$1].at, items[$1].step, $1)
        }
        for index in order { add(items[index]) }
        tellPending()
    }

    private mutating func add(_ item: StoryItem) {
        switch item.what {
        case .line(let text):
            tellPending()
            lines.append(StoryLine(at: item.at, text: text))
        case .uploads(let next):
            if joins, uploads?.isLike(next) == true {
                uploads?.join(next)
            } else {
                if !joins || uploads != nil { tellPending() }
                uploads = next
            }
        case .radio(let next):
            if joins, gaps != nil {
                gaps?.join(next)
            } else {
                if !joins { tellPending() }
                gaps = next
            }
        }
    }

    /// Tells what began first before the other.
    private mutating func tellPending() {
        let radio = gaps.map { gap in
            StoryLine(at: gap.from, text: gap.text(context.clock, end: context.end))
        }
        let upload = uploads.map { StoryLine(at: $0.began, text: $0.text) }
        let pending = [radio, upload].compactMap(\.self)
        lines += pending.count == 2 && pending[1].at < pending[0].at ? pending.reversed() : pending
        (uploads, gaps) = (nil, nil)
    }
}
