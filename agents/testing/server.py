"""`python -m agents.testing.server --port 8900`: the `rules` model as an OpenAI-compatible server.

For trying GATEHOUSE_MODEL_BASE_URL without a model. A tool's type is not on the wire, so there the
tools go by their names: `fetch`, `calculator`, `datetime`, `document`.
"""

import argparse
from dataclasses import replace

from agents.model_clients.protocol import ModelReply, ModelRequest
from agents.model_clients.rules import RulesClient
from agents.model_clients.rules.texts import CONNECT_EN, CONNECT_ZH
from agents.testing.http_server import ScriptedServer
from agents.testing.script import ServerScript

# Whoever reads these over HTTP has connected what they take for a model.
_OTHER_WORDS = {
    "I am the offline model": "I am a test double with the rules of the offline model",
    "我是离线模型": "我是照离线模型规则工作的测试替身",
    f"\n\n{CONNECT_EN}": "",
    f"\n\n{CONNECT_ZH}": "",
}


def rules_script() -> ServerScript:
    """Every request is answered by the `rules` model, which says that it is a test double."""
    return ServerScript(otherwise=_answer)


def _answer(request: ModelRequest) -> ModelReply:
    reply = RulesClient().complete(request)
    text = reply.text
    for ours, theirs in _OTHER_WORDS.items():
        text = text.replace(ours, theirs)
    return replace(reply, text=text)


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
