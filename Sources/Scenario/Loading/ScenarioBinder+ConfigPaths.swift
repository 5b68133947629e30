import CollectorModel
import DeclaredSDK
import DeviceSDK
import SDKDescription
import Wire

extension ScenarioBinder {
    /// A target has no path for a configuration whose key is missing, and answers 404. The embedded collector and the
    /// modelled one know the path without it.
    mutating func warnAboutKey(_ system: any SystemRuleSet, _ target: BoundTarget, _ population: JSONPath) {
        guard target.apiKey.isEmpty, !target.urls.isEmpty, let sdk = (system as? DeclaredRules)?.sdk,
            let config = sdk.configs.first(where: { $0.path(apiKey: "") != $0.path(apiKey: "key") })
        else { return }
        reading.warn(
            population,
            "the SDK fetches its configuration at \"\(config.pathForPeople)\", and its target names no key "
                + "(target.apiKey): with that part missing, collectors know no such path (404)")
    }
}
