import DeclaredSDK
import DeviceSDK
import SDKDescription
import Wire

extension ScenarioBinder {
    /// Reports described SDKs whose events nothing names when they bear no id of the harness: those without a key, and
    /// those whose keys a collector could not tell apart, since it knows the product by the path alone.
    ///
    /// - Parameter populations: All that the scenario has.
    mutating func checkKeys(of populations: [ScenarioPopulation]) {
        var first: [String: (population: ScenarioPopulation, sdk: DescribedSDK)] = [:]
        for (index, population) in populations.enumerated() {
            guard let sdk = (population.system as? DeclaredRules)?.sdk,
                !population.tagsEvents || sdk.events.tag == nil
            else { continue }
            let (lack, remedy) =
                population.tagsEvents
                ? ("no \"tag\"", "an \"events.tag\"")
                : ("\"tagEvents\" is false", "\"tagEvents\": true")
            let path = JSONPath(["populations", String(index), "sdk"])
            if sdk.events.key.isEmpty {
                reading.report(
                    .conflict, Place(node: .null, path: path.appending("events")),
                    found: "no \"key\", and \(lack)",
                    allowed: "a key by which an audit knows the events, or \(remedy)")
            }
            let other = first[sdk.request.path] ?? (population, sdk)
            first[sdk.request.path] = other
            let product = other.sdk.product(in: other.population.name)
            if sdk.product(in: population.name) != product {
                reading.report(
                    .conflict, Place(node: .null, path: path.appending("name")),
                    found: "the path of \"\(product)\", and \(lack)",
                    allowed: "a request.path of its own for each product, or \(remedy)")
            } else if other.sdk.events.key != sdk.events.key {
                reading.report(
                    .conflict, Place(node: .null, path: path.appending("events")),
                    found:
                        "another \"key\" than in \"\(other.population.name)\" at the same path, and \(lack)",
                    allowed: "one key at one path, or \(remedy)")
            }
        }
    }
}
