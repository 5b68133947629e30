import AppModel
import DeviceSDK
import Timebase
import Wire

extension GrowingEncoder {
    /// How a body is written.
    enum Form: Hashable {
        case json, message
    }

    /// Appends one event: a JSON object, or an element of the list.
    func append(_ event: GrowingEvent, order: [Int], as form: Form, into body: inout WireBuffer) {
        render(event, order: order, as: form)
        switch form {
        case .json: body.append(contentsOf: json.buffer)
        case .message: message.buffer.withUnsafeBytes { body.appendProtobufField(1, bytes: $0) }
        }
    }

    /// Writes one event into ``json`` or ``message``.
    private func render(_ event: GrowingEvent, order: [Int], as form: Form) {
        switch form {
        case .json:
            json.buffer.removeAll()
            json.buffer.append(UInt8(ascii: "{"))
            write(event, order: order, to: &json)
            // The last member's comma makes room for the brace.
            if json.buffer.last == UInt8(ascii: ",") { json.buffer.truncate(to: json.buffer.count - 1) }
            json.buffer.append(UInt8(ascii: "}"))
        case .message:
            message.buffer.removeAll()
            write(event, order: order, to: &message)
        }
    }

    /// The bytes that the store keeps of an event: its JSON, or its message.
    func storedSize(_ event: GrowingEvent, order: [Int], as form: Form) -> Int {
        render(event, order: order, as: form)
        return form == .json ? json.buffer.count : message.buffer.count
    }

    /// The key by which a collector knows an event without `bs_id`: the hash of the UTF-8 of `deviceId`,
    /// `sessionId`, `eventType`, `timestamp`, and `globalSequenceId` or else `eventSequenceId`, joined by
    /// U+001F. A message has no name for a type of the app's own: there it is CUSTOM.
    func naturalKey(_ event: GrowingEvent, as form: Form) -> Hash128 {
        block.prepare(index: event.index, epoch: event.epoch, zone: zone(event))
        let separator: UInt8 = 0x1F
        var text = WireBuffer()
        block.traits.deviceID.append(to: &text)
        text.append(separator)
        block.traits.sessionID(event.epoch.session).append(to: &text)
        text.append(separator)
        let template = templates.all[Int(event.record.template)]
        text.append(form == .message ? (template.type ?? .custom).name : template.typeName)
        text.append(separator)
        let time = event.record.capturedAt + skew(event.index)
        text.appendDecimal(time.milliseconds)
        text.append(separator)
        text.appendDecimal(UInt64(event.ids.global > 0 ? event.ids.global : event.ids.own))
        return text.withUnsafeBytes { Hash128($0) }
    }
}

extension GrowingEncoder {
    /// By template: the most bytes that an event takes, as JSON. Bounds, so that batches far below the limit of bytes
    /// need not be measured. O(views and properties of the app).
    var sizeLimits: [Int] {
        // No zone's offset has more digits.
        block.prepare(index: 0, epoch: GrowingEpoch(), zone: .hours(14))
        let (page, element) = viewLimits
        let web = viewFields.webLimit
        let others = plan.app.profiles.map(\.properties) + plan.app.superProperties.map(\.properties)
        let general = others.reduce(attributeLimit(of: plan.app.dynamicSuperProperties)) {
            $0 + attributeLimit(of: $1)
        }
        let set = rules.interceptors.flatMap(\.sets).reduce(0) {
            $0 + $1.key.utf8.count + 6 * $1.value.utf8.count
        }
        // Numbers, names and what differs between devices fit into the kilobyte.
        let shared = block.common.json.count + general + set + 1024
        return templates.all.indices.map { template in
            let own = shared + fixedLimit(of: UInt16(template)) + attributes[template].limit
            switch templates.all[template].kind {
            case .page: return own + page
            case .element: return own + element
            case .webPage, .webElement: return own + web
            case .custom: return own + max(page, web)
            case .visit, .appClosed, .own, .attributes, .variables: return own
            }
        }
    }

    /// The most bytes that a page's fields take, the page before it among them, and those of a view.
    private var viewLimits: (page: Int, element: Int) {
        var limits = (page: 0, element: 0)
        for (screen, tree) in viewFields.trees.enumerated() {
            for node in tree.nodes.indices {
                let view = ViewReference(screen: UInt16(screen), node: UInt16(node))
                limits.page = max(limits.page, 2 * viewFields.page(view.screen, view.node).json.count)
                guard !tree.nodes[node].kind.isController else { continue }
                limits.element = max(limits.element, viewFields.sizeLimit(of: view))
            }
        }
        return limits
    }

    private func attributeLimit(of rules: [PropertyRule]) -> Int {
        GrowingAttributes(rules, app: plan.app, zone: plan.utcOffset).limit
    }
}
