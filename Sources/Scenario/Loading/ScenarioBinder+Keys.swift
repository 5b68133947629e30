import DeclaredSDK
import DeviceSDK
import SDKDescription
import Wire

extension ScenarioBinder {
    /// Reports described SDKs whose events nothing names when they bear no id of the harness: those without a key, and
    /// those whose keys a collector could not tell apart, since it knows the product by the path alone.
    mutating func checkKeys(of populations: [ScenarioPopulation]) {
        var products: [String: String] = [:]
        for (index, population) in populations.enumerated() where !population.tagsEvents {
            guard let sdk = (population.system as? DeclaredRules)?.sdk else { continue }
            let path = JSONPath(["populations", String(index), "sdk"])
            if sdk.events.key.isEmpty {
                reading.report(
                    .conflict, Place(node: .null, path: path.appending("events")),
                    found: "no \"key\", and \"tagEvents\" is false",
                    allowed: "a key by which an audit knows the events, or \"tagEvents\": true")
            }
            let product = DescribedSDK.product(of: sdk.name.isEmpty ? population.name : sdk.name)
            if let other = products[sdk.request.path], other != product {
                reading.report(
                    .conflict, Place(node: .null, path: path.appending("name")),
                    found: "the path of \"\(other)\", and \"tagEvents\" is false",
                    allowed: "a request.path of its own for each product, or \"tagEvents\": true")
            }
            products[sdk.request.path] = product
        }
    }
}
