"""The REST API of tools, for operators: rows, types, execute, logs."""
