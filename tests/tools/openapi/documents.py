"""Documents in the shapes in which APIs publish them, written for these tests."""

import json
from typing import Any

PETSTORE = """\
openapi: 3.1.0
info:
  title: Pet Store
  version: "1.0"
servers:
  - url: https://{region}.pets.example/{base}
    variables:
      region: {default: eu, enum: [eu, us]}
      base: {default: v1}
security:
  - api_key: []
tags: [{name: pets}]
paths:
  /pets:
    get:
      operationId: listPets
      summary: List all pets
      description: |
        Pages of pets,
        the newest first.
      tags: [pets]
      security: [{}]
      parameters:
        - $ref: "#/components/parameters/Limit"
        - name: tags
          in: query
          schema: {type: array, items: {type: string}}
        - name: born
          in: query
          description: A date.
          schema: {type: string, format: date, example: 2020-01-31}
      responses:
        200: {description: Pets}
    post:
      operationId: createPet
      summary: Create a pet
      tags: [pets]
      requestBody:
        required: true
        description: The pet.
        content:
          application/xml: {schema: {$ref: "#/components/schemas/NewPet"}}
          application/json: {schema: {$ref: "#/components/schemas/NewPet"}}
      responses:
        "201": {description: Created}
  /pets/{petId}:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: string}}
    get:
      operationId: showPetById
      summary: Info for a specific pet
      tags: [pets]
      responses: {"200": {description: A pet}}
    put:
      operationId: updatePetWithForm
      summary: Update a pet with form data
      deprecated: true
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              properties: {name: {type: string}, status: {type: string}}
      responses: {"200": {description: A pet}}
    delete:
      operationId: deletePet
      summary: Delete a pet
      security: [{store_auth: ["write:pets"]}, {api_key: [], store_auth: []}]
      responses: {"204": {description: Gone}}
  /pets/{petId}/image:
    post:
      operationId: uploadImage
      summary: Upload an image
      parameters:
        - {name: petId, in: path, required: true, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/octet-stream: {schema: {type: string, format: binary}}
      responses: {"200": {description: Done}}
components:
  parameters:
    Limit:
      name: limit
      in: query
      description: How many items to return at one time (max 100)
      schema: {type: integer, maximum: 100, format: int32}
  schemas:
    NewPet: &new
      type: object
      required: [name, id]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, maxLength: 40}
        tag: {type: [string, "null"]}
        friends: {type: array, items: {$ref: "#/components/schemas/NewPet"}}
        country: {type: string, enum: [NO, SE]}
      additionalProperties: false
    Copy: *new
  securitySchemes:
    api_key: {type: apiKey, name: X-Api-Key, in: header}
    store_auth:
      type: oauth2
      flows: {clientCredentials: {tokenUrl: https://pets.example/token, scopes: {}}}
"""

# 3.0: oneOf, allOf, nullable; parameters of all four kinds, in several styles.
LIBRARY: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Library", "version": "2"},
    "servers": [{"url": "/api"}],
    "paths": {
        "/shelves/{shelf}/books/{book}": {
            "parameters": [
                {"name": "shelf", "in": "path", "required": True, "schema": {"type": "string"}},
                {
                    "name": "book",
                    "in": "path",
                    "required": True,
                    "style": "matrix",
                    "explode": True,
                    "schema": {"type": "array", "items": {"type": "integer"}},
                },
            ],
            "patch": {
                "operationId": "library.books.update",
                "description": "Changes a book. What is null is taken out.",
                "parameters": [
                    {
                        "name": "filter",
                        "in": "query",
                        "style": "deepObject",
                        "explode": True,
                        "schema": {
                            "type": "object",
                            "properties": {
                                "owner": {"type": "string"},
                                "year": {"type": "integer"},
                            },
                        },
                    },
                    {
                        "name": "fields[]",
                        "in": "query",
                        "style": "pipeDelimited",
                        "explode": False,
                        "schema": {"type": "array", "items": {"enum": ["title", "author"]}},
                    },
                    {
                        "name": "options",
                        "in": "query",
                        "content": {"application/json": {"schema": {"type": "object"}}},
                    },
                    {"name": "X-Reader", "in": "header", "schema": {"type": "string"}},
                    {"name": "X-Ids", "in": "header", "schema": {"type": "array", "items": {}}},
                    {"name": "Accept", "in": "header", "schema": {"type": "string"}},
                    {"name": "Idempotency-Key", "in": "header", "required": True},
                    {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                ],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/merge-patch+json": {
                            "schema": {"$ref": "#/components/schemas/BookPatch"}
                        }
                    },
                },
                "responses": {"200": {"description": "The book"}},
            },
        },
        "/books": {
            "post": {
                "summary": "Add a book with its cover",
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "required": ["title"],
                                "properties": {
                                    "title": {"type": "string"},
                                    "about": {"$ref": "#/components/schemas/Person"},
                                    "cover": {"type": "string", "format": "binary"},
                                },
                            }
                        }
                    },
                    "required": True,
                },
                "responses": {"201": {"description": "Added"}},
            }
        },
    },
    "components": {
        "schemas": {
            "BookPatch": {
                "allOf": [
                    {"$ref": "#/components/schemas/Named"},
                    {
                        "type": "object",
                        "properties": {
                            "year": {
                                "type": "integer",
                                "nullable": True,
                                "minimum": 0,
                                "exclusiveMinimum": True,
                            },
                            "author": {
                                "nullable": True,
                                "allOf": [{"$ref": "#/components/schemas/Author"}],
                            },
                            "kind": {"type": "string", "enum": ["novel", "poem"], "nullable": True},
                        },
                    },
                ]
            },
            "Named": {
                "type": "object",
                "properties": {"title": {"type": "string", "pattern": "^(?!x)[A-Z]"}},
            },
            "Author": {
                "oneOf": [
                    {"$ref": "#/components/schemas/Person"},
                    {"$ref": "#/components/schemas/Company"},
                ],
                "discriminator": {"propertyName": "type"},
            },
            "Person": {
                "type": "object",
                "required": ["type", "born"],
                "properties": {"type": {"enum": ["person"]}, "born": {"type": "integer"}},
            },
            "Company": {
                "type": "object",
                "required": ["type"],
                "properties": {"type": {"enum": ["company"]}},
            },
        }
    },
}


def large(number: int = 240) -> dict[str, Any]:
    """Thing 0 to n: each with its own path, four kinds of method, shared parts."""
    methods = ("get", "post", "put", "delete")
    paths: dict[str, Any] = {}
    for n in range(number):
        method = methods[n % 4]
        operation: dict[str, Any] = {
            "operationId": f"things{n}{method.title()}",
            "summary": f"{method.title()} thing {n}",
            "tags": [f"group {n // 40}"],
            "parameters": [{"$ref": "#/components/parameters/trace"}],
            "responses": {"default": {"description": "It"}},
        }
        if method in {"post", "put"}:
            schema = {"$ref": f"#/components/schemas/Thing{n % 50}"}
            operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
        paths[f"/v{n % 3}/things-{n}/{{id}}"] = {
            method: operation,
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
            ],
        }
    schemas = {
        f"Thing{n}": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "next": {"$ref": f"#/components/schemas/Thing{(n + 1) % 50}"},
            },
        }
        for n in range(50)
    }
    trace = {"name": "trace", "in": "query", "schema": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Everything", "version": "1"},
        "servers": [{"url": "http://things.example"}],
        "paths": paths,
        "components": {"parameters": {"trace": trace}, "schemas": schemas},
    }


def as_bytes(document: Any) -> bytes:
    return document.encode() if isinstance(document, str) else json.dumps(document).encode()


def small(**changes: Any) -> dict[str, Any]:
    """One operation; `changes` are merged into it: `operation`, `path`, `root`, `schemas`."""
    operation = {"operationId": "getIt", "responses": {}, **changes.get("operation", {})}
    method = changes.get("method", "get")
    return {
        "openapi": "3.0.0",
        "info": {"title": "Small", "version": "1"},
        "servers": [{"url": "http://small.example"}],
        "paths": {changes.get("path", "/it"): {method: operation, **changes.get("item", {})}},
        "components": {"schemas": changes.get("schemas", {})},
        **changes.get("root", {}),
    }
