"""The tool type `http_api`: one described HTTP operation, by hand or by an OpenAPI document."""
