"""A client of a running service that changes records."""

import json
from typing import Any

import requests

from tests.records.subscribers import token_of
from tests.services import Service


class HttpWriter:
    """A client that changes records by HTTP."""

    def __init__(self, service: Service, subject: str, role: str = "user") -> None:
        self.url = f"{service.url}/api/records"
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token_of(service, subject, role)}"

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> requests.Response:
        body = None if body is None else json.dumps(body)
        return self.session.request(method, f"{self.url}/{path}", data=body, headers=headers)

    def create(self, collection: str, **data: Any) -> dict[str, Any]:
        response = self.call("POST", collection, data)
        assert response.status_code == 201, response.text
        return response.json()

    def update(self, collection: str, record_id: str, **data: Any) -> dict[str, Any]:
        response = self.call("PATCH", f"{collection}/{record_id}", data)
        assert response.status_code == 200, response.text
        return response.json()

    def delete(self, collection: str, record_id: str) -> None:
        response = self.call("DELETE", f"{collection}/{record_id}")
        assert response.status_code == 200, response.text
