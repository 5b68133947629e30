import SDKDescription

extension DeclaredFormat {
    static let request = group(
        "What a request looks like.",
        unsupported: .keys(
            ["codec"], "compress, and form with the filters gzip, base64 and javaHash of {{body}}"),
        [
            Knob(
                "method", \.sdk.request.method, .cases(what: "a method"),
                "POST or PUT; or GET, with the fields of the form in the query."),
            Knob(
                "path", \.sdk.request.path, DeclaredForms.path,
                "Path without a query and without placeholders, in a target that says no more than an origin."
            ),
            Knob(
                "query", \.query, .map(of: DeclaredForms.textTemplate, count: 0...50),
                "Parts of the query; a target with a query of its own keeps that."),
            Knob(
                "headers", \.headers, .map(of: DeclaredForms.textTemplate, count: 0...50),
                "Headers that the SDK sets, in place of the Content-Type that a request has without this key (of JSON, or of a "
                    + "form): {} is none at all."),
            Knob(
                "compress", \.sdk.request.compress, .cases(what: "a compression"),
                "How bodies are packed; \"gzip\" adds Content-Encoding."),
            Knob(
                "framing", \.sdk.request.framing, .cases(what: "a framing"),
                "What {{events}} is: a JSON \"list\"; \"lines\", each event on its own, without anything around them; "
                    + "\"one\" event (with upload.batch 1)."),
            Knob(
                "body", \.body, DeclaredForms.template,
                "The body, with {{events}} once; everything else in it is of the device's present state."),
            Knob(
                "form", \.form, .map(of: DeclaredForms.template, count: 0...50),
                "The fields of a form that the body lies in, in order: {{body}} by itself, or through the filters gzip, "
                    + "base64 and javaHash (a check sum); the others are texts with placeholders."),
            Knob(
                "escaping", \.sdk.request.escaping, .cases(what: "a way to escape"),
                "What of a form's values stays as it is: letters, digits and -_.~ (\"unreserved\"), or also / and ? "
                    + "(\"query\")."),
            Knob(
                "perEvent", \.perEvent, DeclaredForms.template,
                "Members that each event gets when it is sent, such as {{sent|ms}}."),
        ])

    static let lane = ObjectDescription<LaneDraft>(
        "A way of events to the collector beside the main one.", start: { LaneDraft() },
        [
            Field(
                "request", \.own, .object(request),
                "What its requests look like: merged key by key into the description's own \"request\", also body, form and "
                    + "perEvent, of which null takes a key away."),
            Field(
                "common", \.common, DeclaredForms.template,
                "The envelope of its events, in place of events.common."),
            Field(
                "tag", \.tag, DeclaredForms.requiredPointer,
                "The place of the harness's id in its events, where it is another than events.tag."),
            Field(
                "batch", \.batch, DeclaredForms.orNone(.integer(1...10_000), none: "all"),
                "Events in a request, at most, or \"all\"; by default upload.batch."),
            Field(
                "waitsFor", \.waitsFor, .cases(what: "what is waited for"),
                "\"login\": events of somebody who has not logged in wait until somebody does."),
        ])
}
