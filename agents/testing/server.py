"""`python -m agents.testing.server --port 8900`: the `rules` model as an OpenAI-compatible server.

For trying GATEHOUSE_MODEL_BASE_URL without a model. A tool's type is not on the wire, so there the
tools go by their names: `fetch`, `calculator`, `datetime`, `document`.
"""

import argparse

from agents.model_clients.rules import RulesClient
from agents.testing.http_server import ScriptedServer
from agents.testing.script import ServerScript


def rules_script() -> ServerScript:
    """Every request is answered by the `rules` model."""
    return ServerScript(otherwise=RulesClient().complete)


def main() -> None:
    parser = argparse.ArgumentParser(description="The rules model as an OpenAI-compatible server.")
    parser.add_argument("--port", type=int, default=8900)
    server = ScriptedServer(rules_script(), parser.parse_args().port)
    print(f"The rules model answers at {server.base_url}", flush=True)  # noqa: T201 - a command's output
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
