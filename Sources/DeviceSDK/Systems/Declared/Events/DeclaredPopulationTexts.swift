import AppModel
import DeviceSDK
import SDKDescription
import Wire

/// What is the same for a whole population.
struct DeclaredPopulationTexts: Sendable {
    private let texts: [Placeholder.Source: String]

    init(_ plan: PopulationPlan) {
        self.init(app: plan.app, apiKey: plan.target.apiKey, accountID: plan.target.accountID)
    }

    init(app: AppDescription, apiKey: String, accountID: String) {
        texts = [
            .apiKey: apiKey, .account: accountID, .appName: app.displayName, .appID: app.bundleIdentifier,
        ]
    }

    /// The text of a placeholder, as it is; empty for one that is no population's.
    func text(_ source: Placeholder.Source) -> String { texts[source] ?? "" }

    /// A template of nothing but the population's own, which is a text.
    func text(of template: Template) -> String { text(of: template) { $0 } }

    /// The same as a path, in which what is filled in is no more than a part of a component.
    func path(of template: Template) -> String {
        text(of: template) { PercentEncoding.pathComponent.encode($0) }
    }

    private func text(of template: Template, filling: (String) -> String) -> String {
        switch template {
        case .text(let segments):
            segments.map { segment in
                switch segment {
                case .constant(let text): text
                case .slot(let placeholder): text(of: .value(placeholder), filling: filling)
                }
            }
            .joined()
        case .value(let placeholder):
            filling(placeholder.applied(to: text(placeholder.source)).constantText ?? "")
        default: ""
        }
    }
}

extension Template {
    /// The template with the population's own texts filled in.
    func filled(_ texts: DeclaredPopulationTexts) -> Template {
        replacing { placeholder in
            placeholder.source.scope == .population
                ? placeholder.applied(to: texts.text(placeholder.source)) : nil
        }
    }
}
