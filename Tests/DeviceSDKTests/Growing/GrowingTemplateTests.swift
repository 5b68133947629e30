import AppModel
import Testing

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, what can be captured")
struct GrowingTemplateTests {
    @Test("the largest app that a scenario can have is numbered with 16 bits")
    func largest() {
        var app = AppDescription(name: "large")
        app.events = Array(
            repeating: BusinessEvent(name: "x", trigger: .launch), count: AppDescription.eventLimit)
        app.profiles = Array(
            repeating: ProfileUpdate(operation: .set, trigger: .launch), count: AppDescription.tableLimit)
        app.superProperties = Array(
            repeating: SuperPropertyGroup(trigger: .launch, properties: []),
            count: AppDescription.superPropertyGroupLimit)
        var rules = GrowingRules(version: .v3)
        rules.events = (0..<50).map { GrowingOwnEvent(type: "own\($0)", base: .base, moment: .launch) }
        let templates = GrowingTemplates(app: app, rules: rules)
        #expect(Int(templates.own(49)) == templates.all.count - 1)
    }
}
