package import AppModel
package import DeviceSDK
import Timebase

extension ScenarioDocument {
    /// Sets the tempo, or the steady rate, of each population that is to have a certain mean rate of events.
    package mutating func applyWantedRates() {
        let plans = plans(start: ScenarioDocument.virtualStart)
        for index in populations.indices {
            guard let rate = populations[index].wantedRate else { continue }
            let plan = plans.populations[index]
            if let tempo = UserForecast.tempo(
                forRate: rate, of: plan.forecastUsers, weight: { $0.eventsCaptured(in: plan.app) })
            {
                populations[index].persona.setTempo(tempo)
            } else {
                warnings.append(
                    ScenarioWarning(
                        pointer: "/populations/\(index)/rate",
                        text:
                            "no pace of this persona gives \(rate) events/s in \(duration.text); its own pace is kept"
                    ))
            }
        }
    }
}

extension PopulationPlan {
    /// Its users, to be forecast.
    package var forecastUsers: UserForecast.Population {
        UserForecast.Population(app: app, persona: persona, calendar: calendar, usersEnd: usersEnd)
    }
}

extension UserAction {
    /// How many events an SDK with all its hooks on captures for the action.
    package func eventsCaptured(in app: AppDescription) -> Double {
        switch self {
        case .enterForeground, .enterBackground, .crash, .appear, .tap, .business, .web, .profile, .item: 1
        case .login(_, let signUp): signUp ? 1 : 0
        case .launch(let passive): passive ? 1 : 0
        case .identity(let update): app.identities[Int(update)].operation.isTracked ? 1 : 0
        case .kill, .disappear, .beginTimed, .logout, .registerSuperProperties, .updateApp, .uninstall: 0
        }
    }
}
