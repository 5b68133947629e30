import DeviceSDK
import SensorsSDK
import Wire

extension ScenarioBinder {
    /// Where devices send to: nowhere said is the embedded collector.
    struct BoundTarget {
        var urls: [PopulationPlan.Target] = []
        /// Where the first URL stands, and whether it is for all populations.
        var place: Place?
        var isShared = true
        /// What is the same for all addresses.
        var path: String?
        var accountID = ""
        var apiKey = ""
        var headers: [PopulationPlan.Target.Header] = []
        var connections = PopulationPlan.Target.Connections.perDevice
        var tls = PopulationPlan.Target.TLSRules()
        /// Where the files of `tls` are named, by their keys.
        var filePlaces: [String: Place] = [:]
        var http = PopulationPlan.Target.HTTPVersions.automatic
        var addressLifetime = PopulationPlan.Target.addressLifetime

        /// The addresses, each with everything, for a population that runs a system.
        ///
        /// - Parameter several: Whether populations run different systems: an origin then means each
        ///   system's own path.
        func targets(of system: any SystemRuleSet, several: Bool) -> [PopulationPlan.Target] {
            urls.map { url in
                var target = complete(url)
                if completesPath(of: url, for: system, several: several) {
                    target.pathAndQuery = system.defaultPath(account: accountID)
                }
                return target
            }
        }

        /// Whether an address has no path, so that the SDK's own is put behind it, unless a system alone posts to it as it is.
        func completesPath(
            of url: PopulationPlan.Target, for system: any SystemRuleSet, several: Bool
        ) -> Bool {
            path == nil && url.pathAndQuery == "/" && (several || !system.postsToBareOrigin)
        }

        /// What clients of the embedded collector are told; the address is put in when it is known.
        func embedded(of system: any SystemRuleSet) -> PopulationPlan.Target {
            var target = complete(
                PopulationPlan.Target(
                    scheme: "http", host: "", port: 0,
                    pathAndQuery: system.defaultPath(account: accountID)))
            target.http = .one
            return target
        }

        private func complete(_ url: PopulationPlan.Target) -> PopulationPlan.Target {
            var target = url
            if let path { target.pathAndQuery = path }
            target.accountID = accountID
            target.apiKey = apiKey
            target.headers = headers
            target.connections = connections
            target.tls = tls
            target.http = http
            target.addressLifetime = addressLifetime
            return target
        }
    }

    /// Binds a target; what it does not say is as in `base`.
    mutating func bindTarget(_ draft: TargetDraft, base: BoundTarget? = nil) -> BoundTarget {
        var result = base ?? BoundTarget()
        bindNames(draft, in: &result)
        if let headers = draft.headers {
            for header in headers { check(header) }
            HeaderRules.check(unique: headers, &reading)
            result.headers = headers.map { .init(name: $0.name, value: $0.value) }
        }
        if let url = draft.url, let other = draft.urls.first {
            reading.report(
                .conflict, other.place, found: "\"url\" (\(url.value)) and \"urls\"", allowed: "one of them")
        }
        let written = draft.urls.isEmpty ? [draft.url].compactMap { $0 } : draft.urls
        if !written.isEmpty {
            result.place = written[0].place
            result.isShared = base == nil
            result.urls = written.compactMap { parse($0) }
            // A path of the URL itself goes before that of all populations.
            let hasPath = result.urls.contains { $0.pathAndQuery != "/" }
            if draft.path == nil, hasPath { result.path = nil }
            if result.urls.count == written.count { checkAgreement(result.urls, written) }
        }
        if let tls = draft.tls {
            result.tls = bind(tls, for: result.urls)
            result.filePlaces = tls.filePlaces
        }
        if draft.tls != nil || !written.isEmpty { checkFiles(of: result) }
        if let http = draft.http {
            result.http = http.value
            if http.value == .two, result.urls.isEmpty {
                reading.warn(http.place.path, "no use for the embedded collector, which speaks HTTP/1.1")
            }
        }
        if let dns = draft.dns { result.addressLifetime = dns.ttl }
        if let connections = draft.connections { result.connections = connections.value }
        if let place = draft.connections?.place ?? written.first?.place { checkPool(of: result, at: place) }
        return result
    }

    /// Reports connections of which not every address can have one, whichever of the two stands here.
    private mutating func checkPool(of target: BoundTarget, at place: Place) {
        guard case .pooled(let size) = target.connections, size < target.urls.count else { return }
        reading.report(
            .conflict, place, found: "\(size) connections for \(target.urls.count) addresses",
            allowed: "at least one for each address")
    }

    /// The path, the account and the key.
    private mutating func bindNames(_ draft: TargetDraft, in target: inout BoundTarget) {
        if let account = draft.accountID {
            target.accountID = account.value
            HeaderRules.check(line: account.value, at: account.place, &reading)
        }
        if let key = draft.apiKey {
            target.apiKey = key.value
            if !key.value.isEmpty { reading.secrets.append(key.value) }
            HeaderRules.check(line: key.value, at: key.place, &reading)
        }
        if let path = draft.path {
            target.path = path
            reading.secrets += TargetURL.secrets(in: path)
        }
    }

    /// What cannot be judged before it is known which systems post to the target.
    mutating func check(
        _ target: BoundTarget, of system: any SystemRuleSet, several: Bool, _ population: JSONPath
    ) {
        checkAccount(of: target, system, several: several, population)
        guard let place = target.place, target.path == nil else { return }
        let isOrigin = target.urls.first.map { $0.pathAndQuery == "/" } ?? true
        if several, target.isShared, !isOrigin {
            reading.report(
                .conflict, place,
                allowed:
                    "scheme, host and port alone: the populations run several systems, and each has a path "
                    + "of its own (\"target\" of a population sets another)")
        } else if isOrigin, !several, system.postsToBareOrigin {
            reading.warn(
                place.path,
                "the URL has no path, and Sensors clients post to it exactly as it is; this project's own "
                    + "collector takes them at /sa?project=default")
        }
    }

    private mutating func parse(_ url: Located<String>) -> PopulationPlan.Target? {
        do throws(TargetURL.Failure) {
            let target = try TargetURL.parse(url.value)
            reading.secrets += TargetURL.secrets(in: target.pathAndQuery)
            return target
        } catch {
            reading.report(.outOfRange, url.place, allowed: error.allowed)
            return nil
        }
    }

    /// Several addresses are one collector's: an SDK knows one path.
    private mutating func checkAgreement(_ urls: [PopulationPlan.Target], _ written: [Located<String>]) {
        for (index, url) in urls.enumerated().dropFirst() {
            if url.pathAndQuery != urls[0].pathAndQuery {
                reading.report(
                    .conflict, written[index].place, found: "\"\(url.pathAndQuery)\"",
                    allowed: "the path and query of the first, \"\(urls[0].pathAndQuery)\"; "
                        + "populations may have targets of their own")
            } else if urls[..<index].contains(where: { $0.origin == url.origin }) {
                reading.report(.conflict, written[index].place, allowed: "each address once")
            }
        }
    }

    private mutating func bind(_ draft: TLSDraft, for urls: [PopulationPlan.Target])
        -> PopulationPlan.Target.TLSRules
    {
        var rules = PopulationPlan.Target.TLSRules()
        rules.authorityFile = draft.authorities?.value
        rules.certificateFile = draft.certificate?.value
        rules.keyFile = draft.key?.value
        rules.serverName = draft.serverName?.value
        rules.isInsecure = draft.insecure?.value ?? false
        if let key = draft.key, draft.certificate == nil {
            reading.report(.conflict, key.place, allowed: "\"certificate\" beside \"key\"")
        }
        if let name = draft.serverName, !TargetURL.isName(name.value) {
            reading.report(.outOfRange, name.place, allowed: "a host's name, not an address")
        }
        if let insecure = draft.insecure, insecure.value {
            reading.warn(
                insecure.place.path,
                "certificates are not verified: whoever answers in the target's place is believed")
        }
        let place =
            draft.authorities?.place ?? draft.certificate?.place ?? draft.serverName?.place
            ?? draft.insecure?.place
        if let place, !urls.isEmpty, !urls.contains(where: \.isSecure) {
            reading.warn(place.path, "no use: the target is not https")
        }
        return rules
    }

    private mutating func check(_ header: Named<String>) {
        if SecretNames.contain(header.name, in: .header), !header.value.isEmpty {
            reading.secrets.append(header.value)
        }
        HeaderRules.check(nameForAll: header.name, at: header.place, &reading)
        HeaderRules.check(line: header.value, at: header.place, &reading)
    }
}

extension SystemRuleSet {
    /// Whether a server URL without a path is used as it is.
    var postsToBareOrigin: Bool {
        self is SensorsRules
    }
}
