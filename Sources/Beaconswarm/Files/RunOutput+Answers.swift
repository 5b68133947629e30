import Measurement
import Timebase
import Wire

extension RunOutput {
    /// Writes `errors.ndjson`: the first unexpected answers, secrets taken out.
    func write(
        unexpected answers: [UnexpectedAnswer], populations: [ReportBuilder.PopulationInfo],
        redact: (String) -> String
    ) throws(CommandFailure) {
        var text = WireBuffer()
        for answer in answers {
            text.append("{\"at\":")
            text.appendFixed(answer.at.nanoseconds / 1000, decimals: 3, trimmingZeros: true)
            text.append(",\"population\":")
            text.appendJSONString(populations[answer.population].name)
            text.append(",\"status\":")
            text.appendDecimal(UInt64(answer.status))
            text.append(",\"failure\":")
            if let failure = answer.failure { text.appendJSONString(failure) } else { text.append("null") }
            text.append(",\"headers\":")
            text.appendJSONString(redact(answer.headers))
            text.append(",\"body\":")
            text.appendJSONString(redact(String(decoding: answer.body, as: UTF8.self)))
            text.append("}\n")
        }
        try OutputFile.write(text.bytes, to: folder.file("errors.ndjson"))
    }
}
