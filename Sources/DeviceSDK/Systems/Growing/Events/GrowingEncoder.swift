import Accounting
import AppModel
import DeviceSDK
import Timebase
import Wire

/// An event to be encoded: what is stored of it, and what the device knows of its moment.
struct GrowingEvent {
    var record: EventRecord
    var epoch: GrowingEpoch
    /// `eventSequenceId` and `globalSequenceId`; the latter 0 in 4.x.
    var ids: (own: UInt32, global: UInt32)
    /// The device's index in its population, and its number in the run.
    var index: Int
    var number: UInt32
}

/// Writes events as JSON and as messages of `event_v3.proto`, and hands them to interceptors.
///
/// A pure function of the event: it has the same bytes each time. Holds what is rendered beforehand and
/// buffers that are reused, so it belongs to one thread.
final class GrowingEncoder {
    let plan: PopulationPlan
    let rules: GrowingRules
    private let isSkewed: Bool
    /// Whether local time is not the same on all devices at all times.
    private let hasZones: Bool
    let templates: GrowingTemplates
    let viewFields: GrowingViewFields
    let block: GrowingDeviceBlock
    let interceptors: [any GrowingInterceptor]
    /// By template.
    private let types: [GrowingTypeName]
    private let shortTypes: [GrowingTypeName]
    private let typesByName: [String: GrowingTypeName]
    private let names: [GrowingCompiledFields]
    let attributes: [GrowingAttributes]
    /// By template: whether the app's code sends the event before once more, with its values.
    let repeats: [Bool]
    /// By own event: its parameters, and whether it travels in the second protocol's short form.
    private let extras: [GrowingCompiledFields]
    private let isShort: [Bool]
    let groups: [GrowingAttributes]
    let dynamic: GrowingAttributes
    var generals: [GrowingGeneralAttributes.Key: GrowingGeneralAttributes] = [:]
    private let domain: GrowingCompiledFields
    private let states: (foreground: GrowingCompiledFields, background: GrowingCompiledFields)
    private let orientations: (portrait: GrowingCompiledFields, landscape: GrowingCompiledFields)
    let tag = GrowingAttributeKey("bs_id")
    let duration = GrowingAttributeKey("event_duration")
    var scratch = WireBuffer()
    var json = GrowingJSONWriter()
    var message = GrowingMessageWriter()

    /// Where draws that are no values of an app's own rules come from, among an event's.
    enum Ordinal {
        static let dynamic: UInt64 = 1 << 20
        static let orientation: UInt64 = 1 << 21
    }

    /// - Parameter routes: The channels in force, which decide the form of own events.
    init(
        plan: PopulationPlan, rules: GrowingRules, templates: GrowingTemplates, views: AppViews,
        routes: GrowingRoutes, interceptors: [any GrowingInterceptor]
    ) {
        self.plan = plan
        self.rules = rules
        isSkewed = !plan.clockRules.isExact
        hasZones = plan.zones.differ
        self.templates = templates
        self.interceptors = interceptors
        viewFields = GrowingViewFields(views: views, rules: rules)
        block = GrowingDeviceBlock(plan: plan, rules: rules)
        types = templates.all.map { GrowingTypeName($0.typeName, number: $0.type?.rawValue) }
        shortTypes = templates.all.map { GrowingTypeName($0.typeName, number: nil, field: .shortType) }
        typesByName = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
        names = templates.all.map { GrowingCompiledFields([(.eventName, .nonEmpty($0.eventName))]) }
        let app = plan.app
        let zone = plan.utcOffset
        attributes = templates.all.map {
            GrowingAttributes($0.kind.properties(of: app), app: app, zone: zone)
        }
        repeats = templates.all.map { $0.kind.isRepeated(by: app) }
        extras = rules.events.map { event in
            GrowingCompiledFields(event.extra.map { (GrowingField($0.key, 0), .text($0.value)) })
        }
        isShort = rules.events.map { routes.isShort($0.type) }
        groups = app.superProperties.map { GrowingAttributes($0.properties, app: app, zone: zone) }
        dynamic = GrowingAttributes(
            app.dynamicSuperProperties, app: app, zone: zone, firstOrdinal: Ordinal.dynamic)
        func word(_ field: GrowingField, _ text: String) -> GrowingCompiledFields {
            GrowingCompiledFields([(field, .text(text))])
        }
        domain = word(.domain, app.bundleIdentifier)
        states = (word(.appState, "FOREGROUND"), word(.appState, "BACKGROUND"))
        orientations = (word(.orientation, "PORTRAIT"), word(.orientation, "LANDSCAPE"))
    }

    /// How far local time is ahead of UTC on an event's device.
    @inline(__always)
    func zone(_ event: GrowingEvent) -> Interval {
        guard hasZones else { return plan.utcOffset }
        return plan.utcOffset(index: event.index, at: event.record.capturedAt + skew(event.index))
    }

    /// The bytes that are the same in all events of a template: its names, and an own event's parameters.
    func fixedLimit(of template: UInt16) -> Int {
        let index = Int(template)
        let fixed = types[index].json.count + names[index].json.count
        guard case .own(let own) = templates.all[index].kind else { return fixed }
        return fixed + extras[own].json.count + max(block.shortVisit.json.count, block.advertising.json.count)
    }

    /// Writes an event in one form. Interceptors are asked first, if there are any.
    ///
    /// - Parameter order: The interceptors' order in the event's process.
    func write(_ event: GrowingEvent, order: [Int], to writer: inout some GrowingWriter) {
        guard !order.isEmpty else { return writeFields(of: event, to: &writer) }
        var builder = self.builder(event)
        // The verdicts were given when the event was built.
        for index in order { _ = interceptors[index].eventWillBuild(&builder) }
        for index in order { _ = interceptors[index].eventDidBuild(&builder) }
        builder.write(to: &writer, types: typesByName)
    }

    /// How far a device's clock is ahead. Mostly not at all, which needs no look at the plan.
    @inline(__always)
    func skew(_ index: Int) -> Interval {
        isSkewed ? plan.clockSkew(index: index) : .zero
    }

    /// The event as interceptors get it.
    func builder(_ event: GrowingEvent) -> GrowingEventBuilder {
        var writer = GrowingBuilderWriter(builder: GrowingEventBuilder(triggered(event.record, event.index)))
        writeFields(of: event, to: &writer)
        return writer.builder
    }

    /// What interceptors are told before an event is built.
    func triggered(_ record: EventRecord, _ index: Int) -> GrowingTriggeredEvent {
        var draw = plan.stream(.business, index: index).child(5 << 32 | UInt64(record.sequence))
        let template = templates.all[Int(record.template)]
        return GrowingTriggeredEvent(
            type: template.typeName, name: template.eventName, draw: draw.uniform())
    }

    private func writeFields(of event: GrowingEvent, to writer: inout some GrowingWriter) {
        let record = event.record
        let kind = templates.all[Int(record.template)].kind
        block.prepare(index: event.index, epoch: event.epoch, zone: zone(event))
        let skew = skew(event.index)
        let time = (record.capturedAt + skew).milliseconds
        if case .own(let own) = kind, isShort[own] {
            writeShort(event, own, time, to: &writer)
        } else {
            writer.put(block.common)
            writer.put(type: types[Int(record.template)])
            writer.put(.timestamp, time)
            writer.put(.eventSequenceId, Int64(event.ids.own))
            if event.ids.global > 0 { writer.put(.globalSequenceId, Int64(event.ids.global)) }
            let isInBackground = GrowingEventFlags(rawValue: record.flags).contains(.background)
            writer.put(isInBackground ? states.background : states.foreground)
            writeOwnFields(event, kind, skew, to: &writer)
        }
        writer.beginAttributes()
        writeAttributes(event, skew, to: &writer)
        writer.endAttributes()
    }

    /// The fields of the event's type.
    private func writeOwnFields(
        _ event: GrowingEvent, _ kind: GrowingTemplates.Kind, _ skew: Interval,
        to writer: inout some GrowingWriter
    ) {
        switch kind {
        case .webPage, .webElement: return writeWeb(event, skew, to: &writer)
        case .custom(let business) where plan.app.events[business].isWeb:
            writer.put(names[Int(event.record.template)])
            return writeWeb(event, skew, to: &writer)
        default: writer.put(domain)
        }
        switch kind {
        case .visit: writer.put(block.advertising)
        case .page: writePage(event, to: &writer)
        case .element: writeElement(event, skew, to: &writer)
        case .custom: writeCustom(event, to: &writer)
        case .own(let own):
            if rules.events[own].base == .visit { writer.put(block.advertising) }
            writer.put(names[Int(event.record.template)])
            writer.put(extras[own])
        case .appClosed, .webPage, .webElement, .attributes, .variables: break
        }
    }

    /// What a page in a web view hands over the bridge: its PAGE, what is done on it, its CUSTOM events. The
    /// builders inherit from those of native events, so PAGE has the orientation (`GrowingPageBuilder
    /// readPropertyInTrackThread`), and in 3.x all others have the time since when the page is shown
    /// (`GrowingViewElementEvent`, `GrowingPageCustomEvent`).
    private func writeWeb(_ event: GrowingEvent, _ skew: Interval, to writer: inout some GrowingWriter) {
        let page = viewFields.webPage(event.record.screen)
        switch event.record.template {
        case GrowingTemplates.webPage:
            writer.put(page?.page ?? domain)
            return writeOrientation(event, to: &writer)
        case GrowingTemplates.webClick: writer.put(page?.click ?? domain)
        case GrowingTemplates.webSubmit: writer.put(page?.submit ?? domain)
        default: writer.put(page?.custom ?? domain)
        }
        guard !rules.isVersion4 else { return }
        let shown = event.epoch.pageShownAt
        // Where the page does not say it, the bridge takes the present.
        let moment = shown == .distantFuture ? event.record.capturedAt : shown
        writer.put(.pageShowTimestamp, (moment + skew).milliseconds)
    }

    private func writeOrientation(_ event: GrowingEvent, to writer: inout some GrowingWriter) {
        var draw = plan.stream(.properties, index: event.index).child(UInt64(event.record.sequence)).child(
            Ordinal.orientation)
        // Phones are held upright nearly always.
        writer.put(draw.chance(0.97) ? orientations.portrait : orientations.landscape)
    }

    private func writePage(_ event: GrowingEvent, to writer: inout some GrowingWriter) {
        let record = event.record
        writer.put(viewFields.page(record.screen, record.control))
        writeOrientation(event, to: &writer)
        if rules.isVersion4, record.detail != GrowingTemplates.none {
            writer.put(viewFields.referral(record.detail))
        }
    }

    private func writeElement(
        _ event: GrowingEvent, _ skew: Interval, to writer: inout some GrowingWriter
    ) {
        let record = event.record
        let view = ViewReference(screen: record.screen, node: record.control, detail: record.detail)
        let element = viewFields.element(view)
        writer.put(element.fields)
        if element.path.xpath.hasRow { writer.put(.xpath, element.path.xpath.text(row: view.row)) }
        if element.path.xcontent.hasRow { writer.put(.xcontent, element.path.xcontent.text(row: view.row)) }
        if element.hasOwnText, let text = viewFields.textValue(view) { writer.put(.textValue, text) }
        if let index = element.path.index(view) { writer.put(.index, Int64(index)) }
        guard !rules.isVersion4 else { return }
        let shown = element.isInContainer ? event.epoch.containerShownAt : event.epoch.pageShownAt
        // A container that has not appeared has no page; the page shown stands in for it.
        let moment = shown == .distantFuture ? event.epoch.pageShownAt : shown
        // Always written: 0 where no page has been shown.
        writer.put(.pageShowTimestamp, moment == .distantFuture ? 0 : (moment + skew).milliseconds)
    }

    private func writeCustom(_ event: GrowingEvent, to writer: inout some GrowingWriter) {
        writer.put(names[Int(event.record.template)])
        guard rules.isVersion4, rules.customEventWithPath else { return }
        writer.put(.path, viewFields.pagePath(event.epoch.lastPage) ?? "/")
    }

    /// An event of the second protocol.
    private func writeShort(
        _ event: GrowingEvent, _ own: Int, _ time: Int64, to writer: inout some GrowingWriter
    ) {
        writer.put(rules.events[own].base == .visit ? block.shortVisit : block.short)
        writer.put(type: shortTypes[Int(event.record.template)])
        writer.put(.shortTime, time)
        writer.put(.shortGlobalSequence, Int64(event.ids.global))
        writer.put(.shortSequence, Int64(event.ids.own))
        writer.put(extras[own])
    }
}
