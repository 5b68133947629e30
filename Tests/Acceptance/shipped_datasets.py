"""What the shipped datasets say: see `shipped.py`. Each is made with few devices, and asked by DuckDB."""

from __future__ import annotations

import math

from shipped import Dataset, Played, scenario, seconds

DAY = 86_400_000


def begin(run: Played) -> int:
    """Milliseconds since 1970 at the start, which all have at midnight in Shanghai."""
    assert run.scenario["start"] == "2026-03-02T00:00:00+08:00"
    return 1_772_380_800_000


def is_share(part: float, whole: float, share: float) -> bool:
    """Whether so many of so many may be a share: within five standard deviations."""
    return whole > 0 and abs(part - whole * share) <= 5 * math.sqrt(whole * share * (1 - share)) + 1


def come_in_window(data: Dataset, population: str, first: int, last: int) -> int:
    """People who begin a session in a stretch of time."""
    return data.one(
        "SELECT count(DISTINCT user_id) FROM sessions WHERE population = ? AND epoch_ms(started_at) >= ? AND epoch_ms(started_at) < ?",
        population, first, last)


def brings(run: Played, pattern: str, population: str, hours: float) -> float:
    """The share of the people that a campaign brings beyond those who come in the same hours of the week before or after."""
    planted = next(each for each in run.scenario["patterns"] if each["name"] == pattern)
    at = begin(run) + int(1000 * seconds(planted["at"]))
    data = run.dataset()
    week = -7 * DAY if at - 7 * DAY >= begin(run) else DAY
    usual, now = (come_in_window(data, population, at + shift, at + shift + int(hours * 3_600_000)) for shift in (week, 0))
    return (now - usual) / data.one("SELECT count(*) FROM users WHERE population = ? AND persona <> 'bot'", population)


def bots(data: Dataset) -> tuple[int, int]:
    return data.ask("SELECT count(*) FILTER (persona = 'bot'), count(*) FROM users")[0]


@scenario("datasets/shop", "--devices", "160")
class Shop:
    def people(run: Played):
        """A month of a shop's data for `generate`: 20,000 people in Shanghai and Berlin browse, fill carts, order, pay
        and sign up, on networks that come and go."""
        assert run.asked_devices == 20_000 and run.scenario["duration"] == "30d"
        data = run.dataset()
        zones = dict(data.ask("SELECT utc_offset_minutes, count(*) FROM users GROUP BY 1"))
        assert set(zones) == {480, 60} and is_share(zones[60], 160, 0.25)
        names = dict(data.ask("SELECT name, count(*) FROM truth GROUP BY 1"))
        assert all(names[name] > 5 for name in ("ViewProduct", "AddToCart", "SubmitOrder", "PayOrder", "RegisterResult"))
        assert {"none", "wifi", "4g"} <= {radio for radio, in data.ask("SELECT DISTINCT radio FROM truth")}

    def planted(run: Played):
        """Ten patterns are planted."""
        assert len(run.dataset().measured) == 10

    def version(run: Played):
        """Version 6.0.0 comes on the eleventh day and loses most payments and the price of what is put into the cart,
        until 6.0.1 takes its place on the fifteenth."""
        data = run.dataset()
        rows = data.ask(
            "SELECT e.app_version, min(epoch_ms(t.captured_at)), max(epoch_ms(t.captured_at)), count(*) FILTER (e.name = 'SubmitOrder'), "
            "count(*) FILTER (e.name = 'PayOrder'), count(*) FILTER (e.name = 'AddToCart'), count(e.prop_product_price) FILTER (e.name = 'AddToCart') "
            "FROM events e JOIN truth t ON t.row_id = e.row_id GROUP BY 1")
        found = {version: rest for version, *rest in rows}
        first, last, ordered, paid, put, priced = found["6.0.0"]
        assert begin(run) + 10 * DAY <= first < begin(run) + 11 * DAY
        assert begin(run) + 14 * DAY <= found["6.0.1"][0] < begin(run) + 15 * DAY
        assert put > 20 and priced == 0 and found["5.2.0"][4] == found["5.2.0"][5] > 20
        usual = found["5.2.0"][3] / found["5.2.0"][2]
        assert paid / ordered < 0.5 * usual and ordered > 20
        assert data.measured["payments-fail"]["expected"] > data.measured["payments-fail"]["counted"]

    def berlin(run: Played):
        """People in Berlin submit fewer orders."""
        rows = run.dataset().answers["answers"]["pattern_berlin_orders_less"]["rows"]
        rate = {offset: ordered / put for _, offset, put, ordered in rows}
        assert rate[60] < 0.8 * rate[480]
        paid, ordered = run.dataset().ask(
            "SELECT count(*) FILTER (name = 'PayOrder'), count(*) FILTER (name = 'SubmitOrder') "
            "FROM truth JOIN users USING (user_id) WHERE utc_offset_minutes = 60")[0]
        assert 0 < paid <= ordered

    def others(run: Played):
        """A campaign brings a seventh of the people within half a day, one device in a hundred belongs to a bot, and some
        events are sent twice or with a text for an amount."""
        data = run.dataset()
        assert 0.04 < brings(run, "spring-sale", "ios", 12) < 0.24
        found, users = bots(data)
        assert is_share(found, users, 0.01)
        carts, amounts = data.measured["double-taps"], data.measured["amount-as-text"]
        assert is_share(carts["counted"] - carts["expected"], carts["expected"], 0.05) and carts["expected"] > 200
        assert is_share(amounts["affected"], amounts["events"], 0.1) and amounts["events"] > 50
        texts = data.one("SELECT count(*) FROM events WHERE name = 'SubmitOrder' AND payload LIKE '%\"order_amount\":\"unknown\"%'")
        assert texts >= amounts["affected_arrived"] > 0

    def collector(run: Played):
        """The collector is down for two hours on the third day, and answers get lost on the eighth, so that rows come late
        and more than once."""
        data = run.dataset()
        query = "SELECT count(*) FROM events WHERE epoch_ms(received_at) >= ? AND epoch_ms(received_at) < ?"
        down = begin(run) + 2 * DAY + 20 * 3_600_000
        assert data.one(query, down, down + 7_200_000) == 0 and data.one(query, down + 7_200_000, down + 14_400_000) > 0
        late = data.one("SELECT count(*) FROM truth WHERE lateness_ms > 600000 AND epoch_ms(captured_at) BETWEEN ? AND ?", down, down + 7_200_000)
        twice = data.ask("SELECT day, count(*) FROM truth WHERE copies > 1 GROUP BY 1 ORDER BY 2 DESC")
        assert late > 0 and sum(count for _, count in twice) > 20


@scenario("datasets/news", "--devices", "150")
class News:
    def readers(run: Played):
        """Two weeks of a news app's data for `generate`: 20,000 readers with GrowingIO 4.11.0, most of them in the
        morning."""
        assert (run.asked_devices, run.scenario["duration"]) == (20_000, "14d")
        population = run.asked("readers")
        assert (population["system"], population["version"], population["persona"]) == ("growing", "4.11.0", "reader")
        hours = dict(run.dataset().ask(
            "SELECT (epoch_ms(s.started_at) // 3600000 + 8) % 24, count(*) FROM sessions s JOIN users u USING (user_id) "
            "WHERE u.persona = 'reader' GROUP BY 1"))
        morning, evening = (sum(hours.get(hour, 0) for hour in part) for part in (range(5, 11), range(17, 23)))
        assert morning > evening and max(hours, key=hours.get) in range(5, 12)

    def breaking(run: Played):
        """Breaking news on the tenth day brings a quarter of them within an hour."""
        assert 0.15 < brings(run, "breaking-news", "readers", 1) < 0.35

    def version(run: Played):
        """From the sixth day on, version 4.0.0 no longer says which feed is viewed."""
        data = run.dataset()
        rows = data.ask(
            "SELECT e.app_version = '4.0.0', count(*), count(e.prop_feed_name), min(epoch_ms(t.captured_at)) "
            "FROM events e JOIN truth t ON t.row_id = e.row_id WHERE e.name = 'ViewFeed' GROUP BY 1")
        found = {is_new: rest for is_new, *rest in rows}
        assert found[True][0] > 100 and found[True][1] == 0 and found[False][0] == found[False][1] > 100
        assert begin(run) + 5 * DAY <= found[True][2] < begin(run) + 6 * DAY

    def scrapers(run: Played):
        """Two devices in a hundred belong to bots, which read at all hours."""
        data = run.dataset("--set", "patterns.3.share=0.1")
        found, users = bots(data)
        assert is_share(found, users, 0.1) and is_share(bots(run.dataset())[0], 150, 0.02)
        hours = dict(data.ask(
            "SELECT (epoch_ms(s.started_at) // 3600000 + 8) % 24 // 6, count(*) FROM sessions s JOIN users u USING (user_id) "
            "WHERE u.persona = 'bot' GROUP BY 1"))
        assert all(is_share(hours[part], sum(hours.values()), 0.25) for part in range(4))

    def twice(run: Played):
        """From the fourth day to the seventh, every tenth article is opened twice in the data, once in life."""
        data = run.dataset()
        rows = data.ask(
            "SELECT day_number, count(*), count(*) FILTER (name = earlier AND captured_at = moment) FROM (SELECT *, "
            "lag(name) OVER w AS earlier, lag(captured_at) OVER w AS moment FROM truth WINDOW w AS (PARTITION BY device ORDER BY sequence)) "
            "WHERE name = 'OpenArticle' AND epoch_ms(captured_at) >= ? GROUP BY 1", begin(run))
        first = (begin(run) - 8 * 3_600_000) // DAY
        window = [row for row in rows if first + 3 <= row[0] <= first + 7]
        again = sum(row[2] for row in window)
        assert sum(row[2] for row in rows) == again > 20
        size = data.measured["opened-twice"]
        assert size["counted"] - size["expected"] == again
        assert again < 0.11 * sum(row[1] for row in window)


@scenario("datasets/game", "--devices", "200")
class Game:
    def players(run: Played):
        """Ten days of a game's data for `generate`: 20,000 players with TrackingSDK, who start levels, end them, and
        sometimes buy something."""
        assert (run.asked_devices, run.scenario["duration"], run.asked("players")["system"]) == (20_000, "10d", "trackingsdk")
        names = dict(run.dataset().ask("SELECT name, count(*) FROM truth GROUP BY 1"))
        assert names["LevelStart"] > names["LevelEnd"] > 10 * names["Purchase"] > 100

    def version(run: Played):
        """Version 2.0.0 is rolled out on the fifth day, and in it players of the store buy half as much."""
        data = run.dataset()
        days = dict(data.ask(
            "SELECT (epoch_ms(t.captured_at) - ?) // 86400000, count(*) FROM events e JOIN truth t ON t.row_id = e.row_id "
            "WHERE t.name = 'AppLaunch' AND e.payload LIKE '%\"2.0.0\"%' GROUP BY 1", begin(run)))
        assert min(days) == 4
        planted = next(each for each in run.scenario["patterns"] if each["name"] == "two")
        assert (planted["at"], planted["over"]) == ("4d", "12h")
        size = data.measured["dear-store"]
        before = data.one("SELECT count(*) FROM truth WHERE name = 'Purchase' AND epoch_ms(captured_at) < ?", begin(run) + 4 * DAY)
        assert is_share(size["counted"] - before, size["expected"] - before, 0.5 + 0.08) and size["expected"] - before > 40

    def score(run: Played):
        """The score of every fiftieth level is a text."""
        size = run.dataset().measured["score-as-text"]
        assert is_share(size["affected"], size["events"], 0.02) and size["affected"] > 20
        texts = run.dataset().one("SELECT count(*) FROM events e JOIN truth t ON t.row_id = e.row_id WHERE e.payload LIKE '%\"score_percent\":\"high\"%'")
        assert texts == size["affected_arrived"]

    def offer(run: Played):
        """An offer on Saturday brings a fifth of the players within a day."""
        data = run.dataset()
        friday, saturday = (come_in_window(data, "players", begin(run) + day * DAY, begin(run) + (day + 1) * DAY) for day in (4, 5))
        players = data.one("SELECT count(*) FROM users WHERE persona <> 'bot'")
        away = players - friday
        assert 0.08 * away < saturday - friday < 0.32 * players

    def farm(run: Played):
        """A device in fifty is a bot that plays on and on."""
        found, users = bots(run.dataset())
        assert is_share(found, users, 0.02)
        data = run.dataset("--set", "patterns.4.share=0.2")
        most = data.ask("SELECT u.persona, median(s.duration_ms) FROM sessions s JOIN users u USING (user_id) GROUP BY 1")
        assert dict(most)["bot"] > 3 * dict(most)["micro"]


@scenario("datasets/five-systems", "--devices", "400")
class FiveSystems:
    def same(run: Played):
        """A week of the same 2,000 people in five systems side by side, for `generate`: what each makes of the same
        lives."""
        populations = run.scenario["populations"]
        assert [each["devices"] for each in populations] == [2000] * 5 and len({each["system"] for each in populations}) == 5
        lives = {name: lives_of(run, name) for name in (each["name"] for each in populations)}
        assert all(life == lives["sensors"] for life in lives.values()) and len(lives["sensors"]) > 200
        counts = run.dataset().ask("SELECT population, count(*) FROM truth GROUP BY 1")
        assert len({count for _, count in counts}) == 5

    def bots_and_campaign(run: Played):
        """In all five, the same one in twenty-five is a bot, and the same people come for a campaign on the fourth day."""
        data = run.dataset()
        rows = data.ask("SELECT population, list(device % 80 ORDER BY device) FROM users WHERE persona = 'bot' GROUP BY 1")
        assert len(rows) == 5 and all(found == rows[0][1] for _, found in rows) and is_share(len(rows[0][1]), 80, 0.04)
        assert 0.05 < brings(run, "offer", "kit", 6) < 0.35

    def payments(run: Played):
        """Sensors, GrowingIO and TrackingSDK are told of the shop's own events, and know as many payments as people made;
        Kit and the codeless SDK see screens and taps alone."""
        counts = dict(run.dataset().ask("SELECT population, count(*) FROM truth WHERE name = 'PayOrder' GROUP BY 1"))
        assert set(counts) == {"sensors", "growing", "trackingsdk"} and len(set(counts.values())) == 1
        assert counts["sensors"] > 20

    def carts(run: Played):
        """Sensors counts every cart twice for two days."""
        query = "SELECT count(*) FROM truth WHERE population = ? AND name = 'AddToCart' AND epoch_ms(captured_at) BETWEEN ? AND ?"
        window = begin(run) + DAY, begin(run) + 3 * DAY - 1
        twice, once = (run.dataset().one(query, name, *window) for name in ("sensors", "growing"))
        assert twice == 2 * once > 20


def lives_of(run: Played, population: str) -> list[tuple]:
    """The sessions of a population's people, whoever tells of them."""
    return run.dataset().ask(
        "SELECT device % 80, epoch_ms(started_at), end_reason FROM sessions WHERE population = ? ORDER BY ALL", population)


@scenario("datasets/clickstream-1b", "--devices", "100")
class Clickstream:
    def size(run: Played):
        """A clickstream for `generate`: a month of 10,000 people in a shop, some ten million rows."""
        assert (run.asked_devices, run.scenario["duration"], run.asked("ios")["app"]) == (10_000, "30d", "shop")
        rows = run.dataset().one("SELECT count(*) FROM events") / 100 * run.asked_devices
        assert 6e6 < rows < 15e6, rows

    def parts(run: Played):
        """With `--devices 1000000 --shard I/100` it is about a billion rows in a hundred parts of one fleet."""
        rows = run.dataset().one("SELECT count(*) FROM events") / 100 * 1_000_000
        assert 0.6e9 < rows < 1.5e9, rows

    def plain(run: Played):
        """Nothing is planted."""
        assert run.dataset().measured == {} and "patterns" not in run.scenario
