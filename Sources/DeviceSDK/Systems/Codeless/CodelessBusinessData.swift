import AppModel
import DeviceSDK
import Timebase
import Wire

/// A configuration in the form that every event is looked up in: what it adds to which views.
///
/// An entry concerns the events of its name on the view whose path equals its own; in place of a row's
/// number it may have `*`, for all rows. What a key path leads to is read from the app's description: the
/// last key is sought among the properties of the business events that a tap on the view triggers, then of
/// those that its screen triggers; `text` and `title` are the view's own. A path that leads nowhere adds
/// nothing.
struct CodelessBusinessData: Sendable {
    let config: CodelessConfig
    private var matches: [ViewEvent: [Match]] = [:]

    private struct ViewEvent: Hashable {
        var template: UInt16
        var screen: UInt16
        var node: UInt16
    }

    private struct Match: Sendable {
        /// The number of the app's version that the entry is for.
        var version: UInt16
        var rows: Rows
        var name: String
        var source: Source
    }

    /// The rows of a list that an entry is for.
    private enum Rows: Sendable {
        case all
        case only(UInt16)

        func contains(_ row: UInt16) -> Bool {
            switch self {
            case .all: true
            case .only(let wanted): row == wanted
            }
        }
    }

    private enum Source: Sendable {
        case title
        case property(PropertyGenerator, draw: UInt64, catalogue: UInt16?)
    }

    /// Nothing, for devices without a configuration.
    init() { config = CodelessConfig() }

    /// Looks up which views the entries concern. O(entries × views).
    init(_ config: CodelessConfig, plan: PopulationPlan, views: AppViews) {
        self.config = config
        for entry in config.entries where entry.appKey == plan.codelessAppKey {
            guard let version = plan.app.versions.firstIndex(of: entry.appVersion),
                let template = CodelessTemplate.allCases.first(where: { $0.name == entry.viewEvent })
            else { continue }
            for (screen, tree) in views.trees.enumerated() {
                for node in tree.nodes.indices {
                    let view = ViewReference(screen: UInt16(screen), node: UInt16(node))
                    guard let rows = Self.rows(of: entry.viewPath, on: tree.viewPath(to: view.node)),
                        let source = Self.source(of: entry.keyPath, at: view, views)
                    else { continue }
                    matches[
                        ViewEvent(template: template.rawValue, screen: view.screen, node: view.node),
                        default: []
                    ].append(
                        Match(version: UInt16(version), rows: rows, name: entry.keyName, source: source))
                }
            }
        }
    }

    /// Which rows a path means on a view; `nil` if it is another view's.
    private static func rows(of path: String, on view: RowText) -> Rows? {
        guard view.hasRow else { return path == view.head ? .all : nil }
        guard path.hasPrefix(view.head), path.hasSuffix(view.tail),
            path.utf8.count > view.head.utf8.count + view.tail.utf8.count
        else { return nil }
        let row = path.dropFirst(view.head.count).dropLast(view.tail.count)
        return row == "*" ? .all : UInt16(row).map(Rows.only)
    }

    private static func source(
        of keyPath: String, at view: ViewReference, _ views: AppViews
    ) -> Source? {
        guard let key = keyPath.split(separator: ".").last.map(String.init) else { return nil }
        let control = views.node(view).control
        let triggers: [Trigger] = [
            .control(screen: view.screen, control: control), .screen(view.screen),
        ]
        for trigger in triggers where trigger != .control(screen: view.screen, control: ViewNode.none) {
            for event in views.app.events where event.trigger == trigger {
                guard let index = event.properties.firstIndex(where: { $0.key == key }) else { continue }
                return .property(
                    event.properties[index].generator, draw: event.properties.draws[index],
                    catalogue: event.catalogue)
            }
        }
        return key == "title" || key == "text" ? .title : nil
    }

    /// What is added to an event: key names and values as texts, in the configuration's order.
    ///
    /// - Parameters:
    ///   - stream: The event's own: the same values come out each time.
    ///   - clock: The time of capture on the device's clock.
    func data(
        of record: EventRecord, version: UInt16, stream: RandomStream, clock: Instant,
        sampler: PropertySampler, views: AppViews
    ) -> [(key: String, value: String)] {
        guard !matches.isEmpty else { return [] }
        let event = ViewEvent(template: record.template, screen: record.screen, node: record.control)
        guard let found = matches[event] else { return [] }
        let view = ViewReference(screen: record.screen, node: record.control, detail: record.detail)
        return found.compactMap { match in
            guard match.version == version, match.rows.contains(view.row) else { return nil }
            switch match.source {
            case .title: return (match.name, views.title(view))
            case .property(let generator, let draw, let catalogue):
                let subject = Self.subject(
                    in: catalogue, of: view, stream: stream.child(1 << 32), views: views)
                let context = PropertyContext(
                    sequence: UInt64(record.sequence), subject: subject, capturedAt: clock)
                var own = stream.child(draw)
                let value = sampler.value(of: generator, stream: &own, context: context)
                return (match.name, Self.text(value))
            }
        }
    }

    /// The entity that a view shows: in a list the row's, else any.
    private static func subject(
        in catalogue: UInt16?, of view: ViewReference, stream: RandomStream, views: AppViews
    ) -> UInt32 {
        guard let catalogue else { return 0 }
        let count = UInt64(max(1, views.app.catalogues[Int(catalogue)].count))
        if views.node(view).cell != ViewNode.none { return UInt32(UInt64(view.row) % count) }
        var stream = stream
        return UInt32(stream.below(count))
    }

    /// A value as `description` tells it.
    private static func text(_ value: PropertyValue) -> String {
        switch value {
        case .string(let text): return text
        case .number(let number):
            var text = WireBuffer()
            text.appendDecimal(number)
            return text.text
        case .bool(let bool): return bool ? "1" : "0"
        case .list(let values): return values.map(Self.text).joined(separator: ",")
        case .date(let instant): return String(instant.milliseconds)
        case .null: return ""
        }
    }
}
