import Timebase

/// Something to tell of a device, before neighbours that are alike become one sentence.
struct StoryItem {
    enum What {
        case line(String)
        case uploads(ToldUploads)
    }

    var at: Instant
    /// The place in the trace of the step that it begins with, which tells causes from effects at one instant; below 0 for
    /// what no step tells.
    var step: Int
    var what: What

    /// Of what happens at one instant, sessions are told first: it happens in them.
    static let session = -2
}

/// Makes sentences of what happened on a device, in order: each in one of its own, or uploads that ended alike, with nothing
/// between them, in one.
struct StoryJoiner {
    private let joinsUploads: Bool
    private(set) var lines: [StoryLine] = []
    private var pending: ToldUploads?

    /// - Parameter joinsUploads: Whether neighbours that ended alike are one sentence.
    init(_ items: [StoryItem], joinsUploads: Bool) {
        self.joinsUploads = joinsUploads
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
            if joinsUploads, pending?.isLike(next) == true {
                pending?.join(next)
            } else {
                tellPending()
                pending = next
            }
        }
    }

    private mutating func tellPending() {
        if let pending { lines.append(StoryLine(at: pending.began, text: pending.text)) }
        pending = nil
    }
}
