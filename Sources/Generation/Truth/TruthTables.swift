package import Datasets

/// The tables beside `events`, in the order in which they are numbered after it.
package enum TruthTables {
    static let truth = TableSchema(
        name: "truth",
        columns: [
            TableColumn("id", .string, doc: "device and sequence: <device>-<sequence>"),
            TableColumn("device", .int64, doc: "the device's number in the run, from 0"),
            TableColumn("sequence", .int64, doc: "counts the device's events from 0, without holes"),
            TableColumn("user_id", .string, doc: "the person who uses the device"),
            TableColumn(
                "session_id", .string, isNullable: true,
                doc: "the session; none where the app is not in front"),
            TableColumn("population", .string, doc: "the scenario's population"),
            TableColumn("system", .string, doc: "the SDK"),
            TableColumn("type", .string, doc: "the system's type of event"),
            TableColumn("name", .string, doc: "the event's name; empty where the type has none"),
            TableColumn("captured_at", .timestampMillis, doc: "when it happened, on the run's clock"),
            TableColumn("device_at", .timestampMillis, doc: "the same by the device's clock"),
            TableColumn("day", .string, doc: "the day of captured_at in the dataset's zone"),
            TableColumn("day_number", .int64, doc: "that day, counted from 1970-01-01"),
            TableColumn("radio", .string, doc: "none, 2g, 3g, 4g, 5g or wifi at that time"),
            TableColumn("fate", .string, doc: "delivered, suppressed, evicted, rejected, lost or pending"),
            TableColumn("cause", .string, isNullable: true, doc: "why; none for delivered"),
            TableColumn("attempts", .int64, doc: "uploads that carried it"),
            TableColumn(
                "acked_at", .timestampMillis, isNullable: true, doc: "when the device read a positive answer"),
            TableColumn("copies", .int64, doc: "its rows in events"),
            TableColumn("row_id", .int64, isNullable: true, doc: "the first of them"),
            TableColumn("row_ids", .string, isNullable: true, doc: "all of them, with spaces between"),
            TableColumn("received_at", .timestampMillis, isNullable: true, doc: "when the first arrived"),
            TableColumn("lateness_ms", .int64, isNullable: true, doc: "from captured_at to received_at"),
        ], indices: [["row_id"], ["device", "sequence"]])

    static let users = TableSchema(
        name: "users",
        columns: [
            TableColumn("user_id", .string, doc: "the person"),
            TableColumn("device", .int64, doc: "the number of the person's device"),
            TableColumn("population", .string, doc: "the scenario's population"),
            TableColumn("persona", .string, doc: "how the person behaves"),
            TableColumn("app", .string, doc: "the app"),
            TableColumn(
                "utc_offset_minutes", .int64, doc: "how far the person's clocks are ahead of UTC at the start"
            ),
            TableColumn(
                "time_zone", .string, isNullable: true,
                doc: "the name of that time zone; none where the scenario has only an offset"),
            TableColumn(
                "arrived_at", .timestampMillis, isNullable: true, doc: "when the device first appears"),
            TableColumn(
                "first_day_number", .int64, isNullable: true,
                doc: "day of the first event, counted from 1970-01-01"),
            TableColumn("last_day_number", .int64, isNullable: true, doc: "day of the last event"),
            TableColumn("active_days", .int64, doc: "days with events"),
            TableColumn("sessions", .int64, doc: "times in which the app was in front"),
            TableColumn("launches", .int64, doc: "starts of the process"),
            TableColumn("accounts", .int64, doc: "accounts that were used"),
            TableColumn(
                "login_id", .string, isNullable: true,
                doc: "the id of the first of them, as in events; none where events name no accounts"),
            TableColumn(
                "logged_in_at", .timestampMillis, isNullable: true, doc: "the first login or sign-up"),
            TableColumn("signed_up_at", .timestampMillis, isNullable: true, doc: "the first sign-up"),
            TableColumn(
                "uninstalled_at", .timestampMillis, isNullable: true,
                doc: "when the person deleted the app for the first time"),
            TableColumn(
                "reinstalled_at", .timestampMillis, isNullable: true,
                doc: "when the person opened it first after that"),
            TableColumn(
                "installations", .int64, doc: "how often the app was installed while the run went on"),
        ], indices: [["user_id"]])

    static let devices = TableSchema(
        name: "devices",
        columns: [
            TableColumn("device", .int64, doc: "the device's number in the run, from 0"),
            TableColumn("user_id", .string, doc: "the person who uses it"),
            TableColumn("population", .string, doc: "the scenario's population"),
            TableColumn("system", .string, doc: "the SDK"),
            TableColumn("version", .string, doc: "the SDK's version, as in a scenario"),
            TableColumn("app_version", .string, doc: "the app's version in the end"),
            TableColumn(
                "anonymous_id", .string, isNullable: true,
                doc:
                    "the first installation's id before a login, as in events; none where they have no such id"
            ),
            TableColumn("model", .string, isNullable: true, doc: "the model, where events tell it"),
            TableColumn(
                "os_version", .string, isNullable: true, doc: "the version of iOS, where they tell it"),
            TableColumn(
                "installed_at", .timestampMillis, isNullable: true,
                doc: "when the app was installed first, also before the run; none where nothing tells"),
            TableColumn("clock_skew_ms", .int64, doc: "how far its clock is ahead"),
            TableColumn("captured", .int64, doc: "events captured"),
            TableColumn("delivered", .int64, doc: "of them, delivered"),
            TableColumn("suppressed", .int64, doc: "of them, never recorded"),
            TableColumn("lost", .int64, doc: "of them, evicted, rejected or lost"),
            TableColumn("pending", .int64, doc: "of them, still on the device in the end"),
            TableColumn("arrived", .int64, doc: "of them, in the table events"),
            TableColumn("copies", .int64, doc: "rows of the table events"),
        ], indices: [["device"]])

    static let sessions = TableSchema(
        name: "sessions",
        columns: [
            TableColumn("session_id", .string, doc: "device and number: <device>-<number>"),
            TableColumn("user_id", .string, doc: "the person"),
            TableColumn("device", .int64, doc: "the device's number in the run"),
            TableColumn("population", .string, doc: "the scenario's population"),
            TableColumn("day", .string, doc: "the day of started_at in the dataset's zone"),
            TableColumn("day_number", .int64, doc: "that day, counted from 1970-01-01"),
            TableColumn(
                "started_at", .timestampMillis, doc: "the cold start, or the return from the background"),
            TableColumn(
                "ended_at", .timestampMillis, isNullable: true, doc: "none where it goes on at the end"),
            TableColumn("duration_ms", .int64, isNullable: true, doc: "how long it lasted"),
            TableColumn("end_reason", .string, isNullable: true, doc: "background, crash, kill or uninstall"),
            TableColumn("is_cold", .bool, doc: "whether the process began with it"),
            TableColumn(
                "installation", .int64, doc: "which of the app's installations on the device, from 0"),
            TableColumn("events", .int64, doc: "events captured in it, suppressed ones too"),
            TableColumn("arrived", .int64, doc: "of them, in the table events"),
        ], indices: [["session_id"]])

    package static let all = [truth, users, devices, sessions]
}
