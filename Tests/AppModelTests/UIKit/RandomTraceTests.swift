import Testing
import Timebase

@testable import AppModel

@Suite("The calls that UIKit makes, over whole lives")
struct RandomTraceTests {
    /// What a view controller has been told; instances of one screen are counted.
    private struct Controllers {
        var loaded: [ViewReference: Int] = [:]
        var visible: Set<ViewReference> = []
        var coming: Set<ViewReference> = []
        var going: Set<ViewReference> = []
        var fault: String?

        mutating func require(_ condition: Bool, _ call: UIKitCall) {
            if !condition && fault == nil { fault = "\(call) in \(self)" }
        }

        /// Nothing else of the app's own is seen, and nothing is under way.
        mutating func requireOnly(_ screen: ViewReference) {
            let shown = visible.filter { $0.screen != .max }
            let isAtRest = coming.isEmpty && going.isEmpty
            if shown != [screen] || !isAtRest { fault = fault ?? "\(screen) is not alone in \(self)" }
        }

        mutating func take(_ call: UIKitCall, _ views: AppViews) {
            guard var view = call.view, views.node(view).kind.isController else { return }
            // Containers are the same object whatever screen they are seen from.
            let kind = views.node(view).kind
            if kind.isContainer {
                let classIndex = views.node(view).classIndex
                view = ViewReference(screen: .max, node: kind == .tabBarController ? 0 : 1, row: 0)
                if kind == .navigationController && !views.tabs.isEmpty { view.row = classIndex }
            }
            switch call.kind {
            case .viewDidLoad: loaded[view, default: 0] += 1
            case .viewWillAppear:
                require(loaded[view, default: 0] > 0, call)
                coming.insert(view)
            case .viewDidAppear:
                require(coming.remove(view) != nil, call)
                visible.insert(view)
            case .viewWillDisappear:
                require(visible.remove(view) != nil, call)
                going.insert(view)
            case .viewDidDisappear: require(going.remove(view) != nil, call)
            case .dealloc:
                loaded[view, default: 0] -= 1
                require(loaded[view, default: 0] >= 0, call)
            case .setSelectedViewController: break
            default: require(false, call)
            }
        }
    }

    private static let presets = [Presets.shop, Presets.news, Presets.game]

    @Test(
        "controllers load before they appear, appear in pairs, and are let go only when they are gone",
        arguments: 0..<3, [1, 2, 3] as [UInt64])
    func grammar(preset: Int, seed: UInt64) {
        let app = RandomTraceTests.presets[preset]
        let views = AppViews(app: app)
        let model = UserModel(app: app, persona: busyPersona())
        for device in 0..<8 {
            var trace = UIKitTrace()
            var controllers = Controllers()
            for planned in life(model, seed: seed, device: device, end: day(2), limit: 1000) {
                trace.forEachCall(
                    of: planned.action, in: views, draws: RandomStream(key: UInt64(planned.at.nanoseconds))
                ) { controllers.take($0, views) }
                switch planned.action {
                case .launch, .kill, .crash: controllers = Controllers()
                case .appear(let screen, _):
                    controllers.requireOnly(views.controller(of: screen))
                    if trace.screen != screen { controllers.fault = "\(trace) does not show \(screen)" }
                default: break
                }
                if let fault = controllers.fault {
                    Issue.record("seed \(seed), device \(device) at \(planned): \(fault)")
                    return
                }
            }
        }
    }

    @Test("every call of UIKit happens in some preset")
    func everyKind() {
        var seen: Set<UIKitCall.Kind> = []
        for app in RandomTraceTests.presets {
            let views = AppViews(app: app)
            let model = UserModel(app: app, persona: busyPersona())
            for device in 0..<15 {
                var trace = UIKitTrace()
                for planned in life(model, seed: 5, device: device, end: day(2), limit: 1000) {
                    let draws = RandomStream(key: UInt64(planned.at.nanoseconds))
                    trace.forEachCall(of: planned.action, in: views, draws: draws) { seen.insert($0.kind) }
                }
            }
        }
        let missing = UIKitCall.Kind.allCases.filter { !seen.contains($0) }
        #expect(missing.isEmpty)
    }
}
