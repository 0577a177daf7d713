"""Plays a game of nine boards with the client that openapi-python-client generates, and reads every kind of view, list and
problem.

usage: generated_client.py SERVER FORMS
"""

import importlib
import json
import re
import sys
from pathlib import Path

import httpx
from noughts_client import AuthenticatedClient, Client, models
from noughts_client.api.catalog import list_games, list_strategies, list_variants
from noughts_client.api.records import get_analysis, get_record, import_record
from noughts_client.api.tables import act, create_game, get_game, join_seat, offer_rematch
from noughts_client.types import UNSET


class Table:
    """A table, with a client for each seat."""

    def __init__(self, server, **table):
        self.server = server
        created = create_game.sync(client=Client(base_url=server), body=models.NewTable(**table))
        assert isinstance(created, models.CreatedTable), created
        self.id, self.view = created.id, created.view
        self.seats = {}
        for seat, token in created.tokens.additional_properties.items():
            self.add(int(seat), token)

    def add(self, seat, token):
        self.seats[seat] = AuthenticatedClient(base_url=self.server, token=token)

    def act(self, seat, **action):
        return act.sync(self.id, client=self.seats[seat], body=models.ActionRequest(**action))

    def play(self, move):
        seat = self.view.to_move
        view = self.act(seat, turn=self.view.turn, play=move)
        assert isinstance(view, models.View), view
        assert view.you == seat
        assert view.last == models.PlayTurn(kind=view.last.kind, seat=seat, move=move), view.last
        self.view = view


def read_forms(folder):
    """Every form of view, turn, outcome and so on is read, and written to the same JSON."""
    count = 0

    def check(model, form):
        nonlocal count
        assert model.from_dict(form).to_dict() == form, form
        count += 1

    for file in sorted((folder / "view").iterdir()):
        check(models.View, json.loads(file.read_text()))
    for file in sorted((folder / "message").iterdir()):
        check(models.StreamMessage, json.loads(file.read_text()))
    lists = {
        "clocks": models.ClockView,
        "listings": models.GameListing,
        "offers": models.OfferView,
        "records": models.GameRecord,
        "seats": models.SeatView,
    }
    for name, model in lists.items():
        for form in json.loads((folder / f"{name}.json").read_text()):
            check(model, form)
    unions = {
        "turns": ("last", ["PlayTurn", "RewindTurn", "TakebackTurn", "ResignTurn"]),
        "outcomes": ("outcome", ["WonOutcome", "DrawOutcome", "AbandonedOutcome", "AbortedOutcome"]),
    }
    view = json.loads((folder / "view/new.json").read_text())
    for name, (field, variants) in unions.items():
        found = set()
        for form in json.loads((folder / f"{name}.json").read_text()):
            check(models.View, {**view, field: form})
            found.add(type(getattr(models.View.from_dict({**view, field: form}), field)).__name__)
        assert found == set(variants), found
    return count


def play_multi(server):
    """Plays the first legal move until all nine boards are closed."""
    seats = [models.SeatRequest(human="Ann"), models.SeatRequest(human="Bob")]
    table = Table(server, variant="multi", seats=seats)
    assert table.view.you is UNSET and table.view.active is None
    boards = set()
    while table.view.outcome is None:
        table.play(table.view.legal[0])
        boards.update(type(board).__name__ for board in table.view.boards)
    assert boards == {"OpenBoard", "WonBoard", "DrawnBoard"} or "WonBoard" in boards, boards
    assert isinstance(table.view.outcome, (models.WonOutcome, models.DrawOutcome))
    won = sum(isinstance(board, models.WonBoard) for board in table.view.boards)
    assert sum(table.view.score) == won
    offered = offer_rematch.sync(table.id, client=table.seats[1])
    assert offered.offers[0].seat == 1 and offered.rematch is None, offered
    accepted = offer_rematch.sync(table.id, client=table.seats[0])
    assert accepted.rematch is not None and accepted.seat == 1 and accepted.token
    record = get_record.sync(table.id, client=Client(base_url=server, headers={"Accept": "application/json"}))
    assert isinstance(record, models.GameRecord) and len(record.turns) == table.view.turn - 1
    imported = import_record.sync(client=Client(base_url=server), body=record)
    assert isinstance(imported, models.ImportedGame), imported
    assert imported.view.outcome == table.view.outcome
    return table


def read_lists(server):
    client = Client(base_url=server)
    page = list_games.sync(client=client, limit=100)
    assert isinstance(page, models.GamesPage) and page.before is None
    by_status = {game.status: game for game in page.games}
    over = by_status[models.GameStatus.OVER]
    assert over.ended_ms >= over.created_ms and over.outcome is not None
    waiting = by_status[models.GameStatus.WAITING]
    assert waiting.ended_ms is None and waiting.seats[1].open_ == models.OpenSeat.LOBBY
    assert any(variant.name == "multi" for variant in list_variants.sync(client=client))
    assert any("minimax:9" in strategy.max_ for strategy in list_strategies.sync(client=client))


def read_problems(server, over):
    client = Client(base_url=server)

    def check(problem, status, kind):
        assert isinstance(problem, models.Problem), problem
        assert (problem.status, problem.type_.split("/")[-1]) == (status, kind), problem

    table = Table(server, variant="3x3k3", seats=[models.SeatRequest(human=""), models.SeatRequest(human="")])
    table.play("1-1")
    check(table.act(1, turn=2, play="1-1"), 409, "occupied")
    check(table.act(0, turn=2, play="0-0"), 409, "not-your-turn")
    check(table.act(1, turn=1, play="0-0"), 409, "stale")
    check(over.act(0, turn=1, resign=True), 409, "over")
    check(join_seat.sync(table.id, 0, client=client, body=models.TakeSeat(name="Eve")), 409, "seat-taken")
    check(get_game.sync("nothing", client=client), 404, "no-such-game")
    check(get_game.sync(table.id, client=over.seats[0]), 403, "wrong-game")
    check(get_analysis.sync(table.id, client=client), 409, "not-over")
    check(offer_rematch.sync(table.id, client=table.seats[0]), 409, "not-over")
    stranger = AuthenticatedClient(base_url=server, token="stranger")
    check(get_game.sync(table.id, client=stranger), 401, "wrong-token")
    check(create_game.sync(client=client, body=models.NewTable()), 400, "missing-field")
    check(create_game.sync(client=client, body=models.NewTable(variant="chess")), 422, "unknown-variant")
    check(create_game.sync(client=client, body=models.NewTable(variant="x" * 70_000)), 413, "too-large")
    robot = [models.SeatRequest(human=""), models.SeatRequest(robot="minimax:10")]
    refused = create_game.sync(client=client, body=models.NewTable(variant="3x3k3", seats=robot))
    check(refused, 422, "expensive-strategy")
    assert refused.errors[0].pointer == "/seats/1/robot"


def read_every_kind_of_problem(document):
    """Each operation reads a problem with each status that the document declares for it."""
    statuses, operations = set(), 0
    for methods in document["paths"].values():
        for operation in methods.values():
            name = re.sub(r"(?<!^)(?=[A-Z])", "_", operation["operationId"]).lower()
            module = importlib.import_module(f"noughts_client.api.{operation['tags'][0]}.{name}")
            operations += 1
            for status in map(int, operation["responses"]):
                if status < 400:
                    continue
                problem = {"type": "/problems/x", "title": "X", "status": status, "detail": "x"}
                response = httpx.Response(status, json=problem)
                read = module._parse_response(client=Client(base_url="http://x"), response=response)
                assert isinstance(read, models.Problem) and read.status == status, (name, status, read)
                statuses.add(status)
    assert statuses == {400, 401, 403, 404, 408, 409, 413, 415, 422, 426, 429, 500, 503}, statuses
    return operations


def exceed_the_rate(server):
    """The limits count for the address that a proxy names."""
    client = Client(base_url=server, headers={"X-Forwarded-For": "203.0.113.7"})
    for _ in range(2_000):
        answer = get_analysis.sync("nothing", client=client)
        if answer.status == 429:
            return
        assert answer.status == 404, answer
    sys.exit("no request was refused")


def main(server, forms):
    count = read_forms(Path(forms))
    over = play_multi(server)
    seats = [models.SeatRequest(human="Ann"), models.SeatRequest(open_=models.OpenSeat.LOBBY)]
    waiting = Table(server, variant="5x5k4", seats=seats)
    assert waiting.view.seats[1].open_ == models.OpenSeat.LOBBY
    read_lists(server)
    taken = join_seat.sync(waiting.id, 1, client=Client(base_url=server), body=models.TakeSeat())
    assert taken.view.seats[1].kind == models.SeatKind.HUMAN and taken.view.seats[1].name == ""
    large = Table(server, variant="33x33k5")
    assert large.view.marks is None and len(large.view.rows) == 33 and large.view.legal is None
    read_problems(server, over)
    exceed_the_rate(server)
    operations = read_every_kind_of_problem(httpx.get(f"{server}/api/openapi.json").json())
    assert operations > 20, operations
    print(f"read {count} forms, played multi to its end")


main(*sys.argv[1:])
