import Measurement
import Reporting
import Scenario
import World

extension RunOutput {
    /// An unexpected answer that may be written down.
    func withoutSecrets(_ answer: UnexpectedAnswer) -> UnexpectedAnswer {
        var answer = answer
        answer.headers = scenario.document.redactHeaders(answer.headers)
        answer.body = Array(scenario.document.redactSample(String(decoding: answer.body, as: UTF8.self)).utf8)
        return answer
    }

    /// The first unexpected answers as reports tell them, secrets taken out.
    func redacted(
        _ answers: [UnexpectedAnswer], of populations: [ReportBuilder.PopulationInfo]
    ) -> [Report.UnexpectedAnswer] {
        let document = scenario.document
        return answers.map { answer in
            Report.UnexpectedAnswer(
                at: answer.at, population: populations[answer.population].name, status: answer.status,
                failure: answer.failure?.name, headers: document.redactHeaders(answer.headers),
                body: document.redactSample(String(decoding: answer.body, as: UTF8.self)),
                isConfig: answer.isConfig
            )
        }
    }
}
