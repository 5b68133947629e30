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
    package func segment(_ view: ViewReference) -> String? {
        guard let segments = control(of: view)?.segments, Int(view.value) < segments.count else { return nil }
        return segments[Int(view.value)]
    }

    /// A slider's value as `%f` writes it; see ``ViewReference/value``.
    package static func sliderText(_ value: UInt16) -> String {
        let digits = String(value % 1000)
        return "\(value / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits + "000"
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
}
