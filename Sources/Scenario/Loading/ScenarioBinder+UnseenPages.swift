import AppModel
import DeviceSDK
import GrowingSDK
import Wire

extension ScenarioBinder {
    /// Pages that GrowingIO is to track, of view controllers that the app does not have.
    mutating func warnAboutUnseenPages(
        _ draft: PopulationDraft, _ rules: any SystemRuleSet, _ app: AppDescription
    ) {
        guard let growing = rules as? GrowingRules, case .listed(let aliases) = growing.autotrack.pages,
            !aliases.isEmpty, let place = draft.sdk?.value(at: ["autotrack", "pages"])
        else { return }
        // Alerts are no pages.
        let controllers = AppViews(app: app).trees.flatMap(\.nodes)
            .filter { $0.kind.isController && $0.kind != .alertController }
        let classes = Set(controllers.map(\.className)).sorted()
        for name in aliases.keys.sorted() where !classes.contains(name) {
            let nearest = NameDistance.nearest(to: name, among: classes)
            let hint = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
            reading.warn(
                place.path.appending(name),
                "\"\(name)\" has no effect: the app has no such view controller\(hint)")
        }
    }
}
