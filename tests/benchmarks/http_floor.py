"""The least that a service could do for a POST: a bare Flask route that calls one insert function and answers."""

import os

import psycopg
from flask import Flask, jsonify, request


def create() -> Flask:
    app = Flask("floor")
    connection = psycopg.connect(os.environ["FLOOR_DATABASE"], autocommit=True)

    @app.post("/returns")
    def post() -> object:
        body = request.get_json()
        row = connection.execute("SELECT public.floor_insert(%s)", (str(body),)).fetchone()
        return jsonify(number=row[0]), 201

    return app
