import Timebase
import Wire
import World

/// Networks by name: presets, and those of the scenario's own.
extension ScenarioBinder {
    /// Looks up a network that a population names.
    mutating func network(_ name: Located<String>) -> NetworkRules? {
        usedNetworks.insert(name.value)
        return network(name, within: [])
    }

    /// Binds every network of `networks`, used or not.
    mutating func bindNetworks() {
        for own in draft.networks where networks[own.name] == nil { bind(own, within: []) }
    }

    /// - Parameter within: The networks that extend it, the outermost first.
    private mutating func network(_ name: Located<String>, within: [String]) -> NetworkRules? {
        if let own = draft.networks.first(where: { $0.name == name.value }) {
            guard !within.contains(name.value) else {
                reading.report(.conflict, name.place, allowed: "a network that does not extend itself")
                return nil
            }
            guard !overlongNetworks.contains(name.value) else { return nil }
            if networks[name.value] == nil { bind(own, within: within) }
            return networks[name.value] ?? nil
        }
        if let preset = NetworkPresets.rules(named: name.value) { return preset }
        let known = NetworkPresets.names + draft.networks.map(\.name)
        reading.reportUnknown(name.value, name.place, among: known, what: "a network")
        return nil
    }

    /// Binds a network, once: one that is not sound has told its problems then.
    private mutating func bind(_ own: Named<NetworkDraft>, within: [String]) {
        let before = reading.problems.count
        var base: NetworkRules? = NetworkRules()
        if let extends = own.value.extends { base = network(extends, within: within + [own.name]) }
        var rules = base ?? NetworkRules()
        apply(own.value, own.place, to: &rules)
        let isSound = base != nil && reading.problems.count == before
        if isSound { warnAboutHandover(own, rules) }
        networks.updateValue(isSound ? rules : nil, forKey: own.name)
    }

    private mutating func apply(_ own: NetworkDraft, _ place: Place, to rules: inout NetworkRules) {
        if own.kind != nil, let chain = own.chain {
            reading.report(
                .conflict, chain.place, found: "\"kind\" and \"chain\"", allowed: "one of them")
        }
        if let kind = own.kind { (rules.kind, rules.chain) = (kind, nil) }
        for radio in NetworkKind.allCases where radio != .none { apply(own.link, place, to: &rules, radio) }
        if let chain = own.chain { apply(chain, to: &rules) }
        if let failure = own.handover?.failure { rules.handover.failure = failure }
        if let gap = own.handover?.gap { rules.handover.gap = gap }
    }

    private mutating func apply(
        _ draft: LinkDraft, _ place: Place, to rules: inout NetworkRules, _ radio: NetworkKind
    ) {
        guard draft != LinkDraft() else { return }
        var link = rules.links[radio] ?? LinkRules()
        draft.apply(to: &link)
        rules.links[radio] = link
        warnAboutRoundTrip(draft, link, place)
        let sum = link.refused + link.reset + link.lostReply
        // The same numbers hold for all radios of a network: one problem is enough.
        guard sum > 1, reading.problems.last?.pointer != place.path.pointer else { return }
        reading.report(
            .conflict, place, found: "\"refused\", \"reset\" and \"lostReply\" of more than 1 in all",
            allowed: "shares of 1 in all at most")
    }

    /// One radio never changes. What others extend may be there for their chains.
    private mutating func warnAboutHandover(_ own: Named<NetworkDraft>, _ rules: NetworkRules) {
        let isExtended = draft.networks.contains { $0.value.extends?.value == own.name }
        guard own.value.handover != nil, rules.chain == nil, !isExtended else { return }
        reading.warn(
            own.place.path.appending("handover"),
            "there is no \"chain\", so the radio never changes: this does nothing")
    }

    private mutating func warnAboutRoundTrip(_ draft: LinkDraft, _ link: LinkRules, _ place: Place) {
        let path = place.path.appending("rtt")
        guard case .constant(let time)? = draft.roundTrip, time < link.leastRoundTrip,
            // The same numbers hold for all radios of a network: one warning is enough.
            reading.warnings.last?.pointer != path.pointer
        else { return }
        let (own, least) = (
            Interval.fractional(seconds: time / 1000).text,
            Interval.fractional(seconds: link.leastRoundTrip / 1000).text
        )
        reading.warn(path, "\(own) is less than \"rttMin\" (\(least)): every round trip takes \(least)")
    }

    private mutating func apply(_ chain: Located<ChainDraft>, to rules: inout NetworkRules) {
        let before = reading.problems.count
        let radios = chain.value.radios
        let present = radios.map(\.kind)
        var states: [RadioChain.State] = []
        for (kind, radio) in radios {
            let jumps = radio.value.jumps?.jumps ?? []
            for jump in jumps where jump.kind == kind || !present.contains(jump.kind) {
                let others = present.filter { $0 != kind }.map(\.name)
                reading.report(
                    .conflict, radio.place, found: "\"to\" with \"\(jump.kind.name)\"",
                    allowed: others.isEmpty
                        ? "another radio of the chain, which has no other"
                        : "other radios of the chain: " + quotedList(others))
            }
            if kind != .none {
                apply(radio.value.link, radio.place, to: &rules, kind)
            } else if radio.value.link != LinkDraft() {
                reading.report(
                    .conflict, radio.place, found: "a link without a radio",
                    allowed: "\"dwell\", \"regular\" and \"to\" only")
            }
            states.append(
                RadioChain.State(
                    kind, dwell: radio.value.dwell ?? .seconds(1), isRegular: radio.value.isRegular, to: jumps
                ))
        }
        rules.chain = RadioChain(states)
        rules.kind = present.first { $0 != .none } ?? .wifi
        guard rules.chain == nil, reading.problems.count == before else { return }
        reading.report(
            .conflict, chain.place, found: quotedList(present.map(\.name)),
            allowed: "two radios or more, each of which is reached from every other by weights above 0")
    }
}
