from solrbench.results.model.telemetry import MOST_HANDLERS, MOST_SERVERS, ServerFigures
from solrbench.telemetry.summary import handlers_of, spreads_of, worst_servers


def server(number: int, **figures: float) -> ServerFigures:
    return ServerFigures(server=f"solr-{number}", seconds=10, readings=2, figures=figures)


def test_of_a_hundred_nodes_the_busiest_are_kept_and_the_spread_covers_all() -> None:
    nodes = [server(each, cpu_seconds=each) for each in range(100)]
    kept = worst_servers(nodes)
    assert len(kept) == MOST_SERVERS
    assert kept[0].server == "solr-99"
    (spread,) = spreads_of("solr", nodes)
    assert (spread.figure, spread.servers) == ("cpu_seconds", 100)
    assert (spread.total, spread.median) == (495, 4.95)
    assert (spread.highest, spread.highest_server) == (9.9, "solr-99")


def test_a_figure_of_the_moment_is_not_divided_by_time() -> None:
    (spread,) = spreads_of("solr", [server(0, index_bytes=500), server(1)])
    assert (spread.total, spread.servers) == (500, 1)


def test_handlers_of_all_nodes_are_added() -> None:
    node = server(
        0,
        **{
            "handler_requests:/select": 3,
            "handler_seconds:/select": 1.5,
            "handler_errors:/select": 1,
        },
        **{"handler_requests:/get": 0},
    )
    (handler,) = handlers_of([node, node])
    assert (handler.handler, handler.requests, handler.errors) == ("/select", 6, 2)
    assert handler.seconds == 3
    assert worst_servers([node])[0].figures == {}


def test_handlers_are_bounded() -> None:
    figures = {f"handler_requests:/h{each}": 1.0 for each in range(100)}
    assert len(handlers_of([server(0, **figures)])) == MOST_HANDLERS
