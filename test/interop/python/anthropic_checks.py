"""Anthropic's Python client: messages, streams, tools and counts of tokens."""

import anthropic
from checks import Book, equal, question, refusal, run, token, url, weather

client = anthropic.Anthropic(base_url=url, auth_token=token, max_retries=0, timeout=30)
user = {"role": "user", "content": "What is the gateway?"}
tool = {"name": "weather", "description": "The weather in a city", "input_schema": weather}


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def ask(model, messages, **more):
    return client.messages.create(model=model, max_tokens=2000, messages=messages, **more)


def messages(model):
    whole = ask(model, [user])
    equal(whole.stop_reason, "end_turn")
    with client.messages.stream(model=model, max_tokens=2000, messages=[user]) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    equal(text, text_of(whole))
    equal(final.usage.output_tokens, whole.usage.output_tokens)


def raw_stream(model):
    kinds = [event.type for event in ask(model, [user], stream=True)]
    equal([kinds[0], *kinds[-2:]], ["message_start", "message_delta", "message_stop"])


def tools(model):
    history = [{"role": "user", "content": question}]
    with client.messages.stream(model=model, max_tokens=2000, messages=history, tools=[tool]) as stream:
        called = stream.get_final_message()
    calls = [block for block in called.content if block.type == "tool_use"]
    equal([call.input for call in calls], [{"city": "Oslo"}, {"city": "Rome"}])
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "4 C"} for call in calls]
    history += [{"role": "assistant", "content": called.content}, {"role": "user", "content": results}]
    assert "4 C" in text_of(ask(model, history, tools=[tool]))


def tool_runner(model):
    asked = []

    @anthropic.beta_tool
    def weather(city: str) -> str:
        """The weather in a city

        Args:
            city: The name of the city
        """
        asked.append(city)
        return "4 C"

    runner = client.beta.messages.tool_runner(
        model=model, max_tokens=2000, tools=[weather], messages=[{"role": "user", "content": question}]
    )
    final = runner.until_done()
    equal(asked, ["Oslo", "Rome"])
    assert "4 C" in text_of(final), final


def parse(model):
    parsed = client.messages.parse(model=model, max_tokens=2000, messages=[user], output_format=Book)
    assert isinstance(parsed.parsed_output, Book), parsed


def count_tokens(model):
    assert client.messages.count_tokens(model=model, messages=[user]).input_tokens > 0


def unknown_model(_model):
    error = refusal(lambda: ask("nobody", [user]), anthropic.NotFoundError)
    assert error.request_id, error


def stream_that_breaks(model):
    def read():
        fault = model.replace("sim-fast", "fault-error")
        with client.messages.stream(model=fault, max_tokens=2000, messages=[user]) as stream:
            stream.get_final_message()

    refusal(read, anthropic.APIError)


run(messages, raw_stream, tools, tool_runner, parse, count_tokens, unknown_model, stream_that_breaks)
