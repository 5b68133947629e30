extension AppViews {
    /// The text that a view shows when it is tapped: of a segmented control the segment chosen, of a
    /// back button the title of the screen that it leads to.
    package func title(_ view: ViewReference) -> String {
        let node = node(view)
        switch node.kind {
        case .segmentedControl: return segment(view) ?? node.title
        case .backButton:
            return app.screens.indices.contains(Int(view.value)) ? app.screens[Int(view.value)].title : ""
        default: return node.title
        }
    }

    /// The title of the chosen segment; `nil` if the app tells none.
    func segment(_ view: ViewReference) -> String? {
        guard let segments = control(of: view)?.segments, Int(view.value) < segments.count else { return nil }
        return segments[Int(view.value)]
    }

    /// The control of the description that a view stands for.
    package func control(of view: ViewReference) -> Control? {
        let index = Int(node(view).control)
        let controls = app.screens[Int(view.screen)].controls
        return index < controls.count ? controls[index] : nil
    }

    /// A frame as `NSStringFromCGRect` writes it: `{{x, y}, {width, height}}`.
    package func frameText(_ view: ViewReference) -> String {
        let frame = node(view).frame
        return "{{\(frame.x), \(frame.y)}, {\(frame.width), \(frame.height)}}"
    }

    // MARK: KitAnalysisOfUserBehavior

    /// What Kit notes of a control:
    /// `class|class of the target|selector|tag|{{x, y}, {width, height}}|info`.
    ///
    /// Source: `KitUserStatisics/UIControl+KitUserStatisics.m`, `inject_sendAction:to:forEvent:`.
    package func behaviourData(_ view: ViewReference) -> String {
        let node = node(view)
        return "\(node.className)|\(node.target)|\(node.action)|\(node.tag)|\(frameText(view))|"
            + behaviourInfo(view)
    }

    /// The last part of ``behaviourData(_:)``: a button's title, a segmented control's segment (its
    /// index if it has no title), `%f` of a slider or stepper, `isOn` or `isOff` of a switch, nothing
    /// of all other controls.
    package func behaviourInfo(_ view: ViewReference) -> String {
        switch node(view).kind {
        case .button: node(view).title
        case .segmentedControl: segment(view).flatMap { $0.isEmpty ? nil : $0 } ?? String(view.value)
        case .slider: AppViews.thousandths(view.value) + "000"
        case .toggle: view.value == 0 ? "isOff" : "isOn"
        case .stepper: "\(view.value).000000"
        default: ""
        }
    }

    /// A slider's value with three decimals.
    private static func thousandths(_ value: UInt16) -> String {
        let digits = String(value % 1000)
        return "\(value / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
