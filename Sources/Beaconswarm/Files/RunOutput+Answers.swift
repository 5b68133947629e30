import Measurement
import Reporting
import Scenario
import World

extension RunOutput {
    /// The first unexpected answers as reports tell them, secrets taken out.
    func redacted(
        _ answers: [UnexpectedAnswer], of populations: [ReportBuilder.PopulationInfo]
    ) -> [Report.UnexpectedAnswer] {
        let document = scenario.document
        return answers.map { answer in
            Report.UnexpectedAnswer(
                at: answer.at, population: populations[answer.population].name, status: answer.status,
                failure: answer.failure?.name, headers: document.redactHeaders(answer.headers),
                body: document.redact(String(decoding: answer.body, as: UTF8.self)), isConfig: answer.isConfig
            )
        }
    }
}
