package import AppModel
package import DeviceSDK

extension PopulationPlan {
    /// Its users, to be forecast.
    package var forecastUsers: UserForecast.Population {
        UserForecast.Population(app: app, persona: persona, calendar: calendar, usersEnd: usersEnd)
    }

    /// How many events an SDK with all its hooks on captures for an action.
    package func weight(_ action: UserAction) -> Double {
        switch action {
        case .enterForeground, .enterBackground, .crash, .appear, .tap, .business, .web, .profile, .item: 1
        case .login(_, let signUp): signUp ? 1 : 0
        case .launch(let passive): passive ? 1 : 0
        case .identity(let update): app.identities[Int(update)].operation.isTracked ? 1 : 0
        case .kill, .disappear, .beginTimed, .logout, .registerSuperProperties, .updateApp, .uninstall: 0
        }
    }
}
