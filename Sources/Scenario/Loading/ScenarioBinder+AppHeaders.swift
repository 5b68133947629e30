import AppModel
import DeclaredSDK
import DeviceSDK
import SDKDescription

extension ScenarioBinder {
    /// Reports names of an app with line breaks and other control characters, where the SDK puts them into a header.
    ///
    /// - Parameter place: Where the app is named.
    mutating func checkHeaders(of system: any SystemRuleSet, _ app: AppDescription, at place: Place) {
        guard let sdk = (system as? DeclaredRules)?.sdk else { return }
        let names: [(source: Placeholder.Source, key: String, value: String)] = [
            (.appName, "displayName", app.displayName), (.appID, "bundleIdentifier", app.bundleIdentifier),
        ]
        for name in names where !HeaderRules.isLine(name.value) {
            for header in sdk.requests.flatMap(\.headers)
            where header.value.placeholders.contains(where: { $0.source == name.source }) {
                reading.report(
                    .conflict, place,
                    found:
                        "a control character in the app's \(name.key), and that in the header \"\(header.name)\"",
                    allowed: "an app whose \(name.key) is text of one line")
            }
        }
    }
}
