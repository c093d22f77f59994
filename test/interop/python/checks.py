"""What the scripts here share: the gateway to ask, the models to ask for, and checks that say PASS or FAIL each."""

import os
import sys

import pydantic

url = os.environ["GATEWAY_URL"]
token = os.environ["GATEWAY_TOKEN"]
upstreams = os.environ["GATEWAY_UPSTREAMS"].split(",")

question = "What is the weather in Oslo and Rome?"
weather = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


class Book(pydantic.BaseModel):
    title: str
    pages: int


def equal(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


def refusal(call, kind):
    """The error of this kind that a call must end in."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def run(*checks):
    """Makes each check with a model of each upstream, and ends with 0 if all are good."""
    failed = 0
    for upstream in upstreams:
        for check in checks:
            name = f"{check.__name__.replace('_', ' ')}, of {upstream}"
            try:
                check(f"{upstream}/sim-fast")
                print(f"PASS {name}", flush=True)
            except Exception as error:
                failed += 1
                print(f"FAIL {name}: {type(error).__name__}: {error}", flush=True)
    sys.exit(1 if failed else 0)
