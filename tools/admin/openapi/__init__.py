"""The console's import of OpenAPI documents: give one, choose operations, see what came of it."""
