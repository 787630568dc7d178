"""`python -m bench.recall FILE EMBEDDER`: the product's command on a database of its own."""

import sys

from django.core.management import call_command

import tests.isolation  # noqa: F401  (first: a home of its own)


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("recall_benchmark", sys.argv[1], embedder=sys.argv[2])


if __name__ == "__main__":
    main()
