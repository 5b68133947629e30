import AppModel
import TestSupport

func app(_ screens: Screen...) -> AppDescription {
    var app = ViewFixture.app()
    app.screens = screens
    return app
}

func screen(_ className: String, _ controls: [Control] = [], title: String = "") -> Screen {
    ViewFixture.screen(className, controls, title: title)
}

/// What is read of a control of a screen.
func reference(_ views: AppViews, _ control: UInt16, on screen: UInt16 = 0, row: UInt16 = 0) -> ViewReference
{
    ViewFixture.reference(views, control, on: screen, row: row)
}
