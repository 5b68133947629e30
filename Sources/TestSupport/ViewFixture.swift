package import AppModel

extension Control {
    /// A control of a test's app.
    package init(
        _ className: String, _ action: String = "act:", on target: String = "ViewController",
        label: String = ""
    ) {
        self.init(className: className, action: action, target: target, label: label)
    }

    package func with(_ change: (inout Control) -> Void) -> Control {
        var control = self
        change(&control)
        return control
    }
}

extension Control.Ancestor {
    package static func view(_ className: String, _ classIndex: UInt16 = 0) -> Control.Ancestor {
        var ancestor = Control.Ancestor(className)
        ancestor.classIndex = classIndex
        return ancestor
    }

    package static func cell(_ className: String) -> Control.Ancestor {
        var ancestor = Control.Ancestor(className)
        ancestor.isCell = true
        return ancestor
    }
}

/// Apps and screens for tests of what hooks read from views.
package enum ViewFixture {
    /// An app of some screens, without tabs unless a test adds them.
    package static func app(_ screens: Screen...) -> AppDescription {
        var app = AppDescription(name: "views")
        app.screens = screens
        return app
    }

    package static func screen(_ className: String, _ controls: [Control] = [], title: String = "") -> Screen
    {
        var screen = Screen(name: className, className: className, title: title)
        screen.controls = controls
        return screen
    }

    /// The app of the example that the codeless SDK's article shows: the third product's second view.
    package static func hall() -> AppDescription {
        let product = Control("HYGHallProductView", "tapProduct:").with {
            $0.kind = .gesture
            $0.classIndex = 1
            $0.position = Control.Position(section: 0, rows: 9)
            $0.within = [
                .view("HYGHallProductTableView", 1), .view("UITableViewWrapperView"),
                .cell("HYGHallProductCell"), .view("UITableViewCellContentView"),
            ]
        }
        var hall = screen("HYGHallSlideViewController", [product])
        hall.viewClass = "UIScrollView"
        return app(hall)
    }

    /// The app of GrowingIO's own tests, as far as its tests of clicks go: the second of two tabs pushes
    /// screens with buttons, segments and an alert.
    package static func growing() -> AppDescription {
        let alert = Control.Alert(title: "提示", message: "确定吗")
        let buttons = (0..<4).map { Control("UIButton", label: $0 == 3 ? "ShowAlert" : "B\($0)") }
        // The one that is added first stands second.
        let answers = [(1, "取消"), (0, "好的")].map { classIndex, label in
            Control("UIAlertAction", label: label).with {
                $0.alert = alert
                $0.classIndex = UInt16(classIndex)
            }
        }
        let label = screen("GIOLabelAttributeViewController", buttons + answers)
        let elements = screen(
            "GIOSimpleUIElemtsViewController",
            ["Food", "Fire"].map { text in
                Control("UIButton", label: text).with { $0.within = [.view("UIView")] }
            } + [
                Control("UISegmentedControl").with { $0.segments = ["First", "Third"] },
                Control("UITableViewCell").with { $0.position = Control.Position(section: 1, rows: 5) },
                Control("UIButton", label: "in cell").with {
                    $0.position = Control.Position(section: 2, rows: 5)
                    $0.within = [
                        .view("UITableView"), .cell("GIOCell"), .view("UITableViewCellContentView"),
                    ]
                },
            ])
        var result = app(screen("HomeViewController"), screen("UIViewController"), label, elements)
        result.screens[1].transitions = [
            Screen.Transition(screen: 2, probability: 0.5), Screen.Transition(screen: 3, probability: 0.5),
        ]
        result.tabs = [0, 1]
        return result
    }

    /// What is read of a control of a screen.
    package static func reference(
        _ views: AppViews, _ control: UInt16, on screen: UInt16 = 0, row: UInt16 = 0
    ) -> ViewReference {
        ViewReference(screen: screen, node: views.tree(of: screen).controls[Int(control)], row: row)
    }
}
