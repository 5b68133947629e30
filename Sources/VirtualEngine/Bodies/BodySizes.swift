package import CollectorModel
package import DeviceSDK
import World

/// How many bytes the uploads of a run's populations have on the way, without making them: one model each.
///
/// Fitted before the run (``fitted(to:fewest:)``), a function of seed, populations and scenario alone.
package struct BodySizes: Sendable {
    private var models: [BodySizeModel?]

    /// - Parameter models: By population; `nil` for those whose requests are written.
    package init(_ models: [BodySizeModel?]) { self.models = models }

    /// The model of a population; `nil` if its requests are written and read.
    package func model(of population: Int) -> BodySizeModel? {
        population < models.count ? models[population] : nil
    }

    /// Populations whose requests are written and read all the same.
    package var written: [Int] { models.indices.filter { models[$0] == nil } }

    /// Tells the populations whose networks ask for the sizes of uploads what these are, whether their bytes are made
    /// or not. One without a model has each upload written for its length.
    package func tell(_ plans: inout [PopulationPlan]) {
        for number in plans.indices where plans[number].network.links.needSizes {
            plans[number].uploadSizes = model(of: plans[number].index)?.sizes
        }
    }
}

/// The model of one population's uploads.
package struct BodySizeModel: Sendable {
    /// The system that the collector is to take them for.
    package let system: CollectorSystem
    package let sizes: UploadSizeModel

    init(system: CollectorSystem, sizes: UploadSizeModel) {
        self.system = system
        self.sizes = sizes
    }

    /// Says nothing of sizes: for runs that let events pass by reference and ask for no bytes.
    package init(nothingKnownOf system: CollectorSystem) {
        self.init(system: system, sizes: UploadSizeModel(terms: UploadSizeTerms(templates: 0)))
    }
}
