"""Asks a gateway, as OpenAI's Python client does, for what a server behind it answers: python chat.py READY_FILE"""

import json
import os
import sys

import openai

text = os.environ["INTEROP_TEXT"]
with open(sys.argv[1]) as file:
    ready = json.load(file)


def client(token):
    return openai.OpenAI(base_url=ready["baseUrl"] + "/v1", api_key=token, max_retries=0, timeout=30)


gateway = client(ready["token"])


def ask(model="interop", **more):
    messages = [{"role": "user", "content": "Hello"}]
    return gateway.chat.completions.create(model=model, messages=messages, **more)


def equal(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


def refusal(call, kind):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def list_models():
    equal([model.id for model in gateway.models.list()], ["interop"])


def whole_chat():
    answer = ask()
    equal(answer.choices[0].message.content, text)
    equal(answer.choices[0].finish_reason, "stop")
    assert answer.usage.total_tokens > 0, answer.usage


def model_by_pattern():
    equal(ask("litellm/mock").choices[0].message.content, text)


def stream():
    choices = [chunk.choices[0] for chunk in ask(stream=True) if chunk.choices]
    equal("".join(choice.delta.content or "" for choice in choices), text)
    equal([choice.finish_reason for choice in choices if choice.finish_reason], ["stop"])
    assert len(choices) > 2, "the answer came in one piece"


def stream_without_usage_unless_asked_for():
    shown = [chunk.usage for chunk in ask(stream=True) if chunk.usage]
    assert shown == [], f"nobody asked for {shown}"


def stream_with_usage():
    chunks = list(ask(stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].usage.total_tokens > 0, chunks[-1]


def unknown_model():
    error = refusal(lambda: ask("nobody"), openai.NotFoundError)
    equal(error.code, "model_not_found")
    assert "nobody" in error.message, error.message


def model_unknown_upstream():
    error = refusal(lambda: ask("litellm/nobody"), openai.APIStatusError)
    assert 400 <= error.status_code < 500 and error.message, error


def wrong_token():
    refusal(lambda: client("sk-wrong").models.list(), openai.AuthenticationError)


checks = [list_models, whole_chat, model_by_pattern, stream, stream_with_usage]
checks += [stream_without_usage_unless_asked_for, unknown_model, model_unknown_upstream, wrong_token]
failed = 0
for check in checks:
    name = check.__name__.replace("_", " ")
    try:
        check()
        print(f"PASS {name}", flush=True)
    except Exception as error:
        failed += 1
        print(f"FAIL {name}: {type(error).__name__}: {error}", flush=True)
sys.exit(1 if failed else 0)
