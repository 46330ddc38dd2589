"""J7: the OpenAPI document is complete, and made from the models."""

import json

from notebook_bcc_ext.server.openapi import METHODS, OPERATIONS, document, path_template
from notebook_bcc_ext.server.routes import ROUTES


async def test_every_route_is_described(jp_fetch):
    response = await jp_fetch("notebook-bcc", "api", "openapi.json")
    described = json.loads(response.body)
    assert described["openapi"].startswith("3.1")
    expected = {
        (path_template(path), method)
        for path, handler in ROUTES
        for method in METHODS
        if method in vars(handler) and not path.endswith("/live")
    }
    found = {(path, method) for path, item in described["paths"].items() for method in item}
    assert found == expected
    assert len(OPERATIONS) == len(expected)


def test_references_lead_somewhere():
    described = document(tuple(ROUTES))
    known = described["components"]["schemas"]
    text = json.dumps(described)
    names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert names <= set(known)
    assert {"RunRequest", "RunView", "Command", "Error"} <= names
    run = described["paths"]["/notebook-bcc/api/runs/{run_id}"]["get"]
    assert [parameter["name"] for parameter in run["parameters"]] == ["run_id"]
