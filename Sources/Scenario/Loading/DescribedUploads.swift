package import CollectorModel
import DeclaredSDK
package import DeviceSDK

extension CollectorPlan {
    /// The plan by which the uploads of one population are read: of all descriptions, its own alone.
    package func reading(_ plan: PopulationPlan) -> CollectorPlan {
        var own = self
        own.descriptions = UploadDescription(plan.system, of: plan.name).map { [$0] } ?? []
        own.learn(plan.uploadPaths)
        return own
    }
}

extension ScenarioDocument {
    /// What a collector has to know of the SDKs that are described, each once.
    package var uploadDescriptions: [UploadDescription] {
        ownDescriptions.reduce(into: []) { all, own in
            if let own, !all.contains(own) { all.append(own) }
        }
    }

    /// By population; `nil` for a system that is programmed.
    var ownDescriptions: [UploadDescription?] {
        populations.map { population in
            guard var own = UploadDescription(population.system, of: population.name) else { return nil }
            // Events without the harness's id are known by their keys, whoever else's come with it to the same path.
            if !population.tagsEvents, !own.event.key.isEmpty { own.event.tags = [] }
            return own
        }
    }
}

extension UploadDescription {
    /// - Parameter population: The name of an SDK without one.
    /// - Returns: `nil` for an SDK that is programmed.
    fileprivate init?(_ rules: any SystemRuleSet, of population: String) {
        guard let rules = rules as? DeclaredRules else { return nil }
        self.init(rules.sdk, unnamed: population)
    }
}
