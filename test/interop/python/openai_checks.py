"""OpenAI's Python client: chat, responses, completions and models."""

import openai
from checks import Book, equal, question, refusal, run, token, url, weather

client = openai.OpenAI(base_url=url + "/v1", api_key=token, max_retries=0, timeout=30)
user = {"role": "user", "content": "What is the gateway?"}
strict = {**weather, "additionalProperties": False}
chat_tool = {"type": "function", "function": {"name": "weather", "parameters": weather}}
tool = {"type": "function", "name": "weather", "parameters": strict, "strict": True}


def models(model):
    listed = [found.id for found in client.models.list()]
    assert listed, "no models"
    equal(client.models.retrieve(model).id, model)


def chat(model):
    whole = client.chat.completions.create(model=model, messages=[user])
    equal(whole.choices[0].finish_reason, "stop")
    chunks = list(
        client.chat.completions.create(
            model=model, messages=[user], stream=True, stream_options={"include_usage": True}
        )
    )
    text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    equal(text, whole.choices[0].message.content)
    equal(chunks[-1].usage.total_tokens, whole.usage.total_tokens)


def chat_tools(model):
    messages = [{"role": "user", "content": question}]
    with client.chat.completions.stream(model=model, messages=messages, tools=[chat_tool]) as stream:
        message = stream.get_final_completion().choices[0].message
    equal([call.function.arguments for call in message.tool_calls], ['{"city":"Oslo"}', '{"city":"Rome"}'])
    messages.append(message.to_dict())
    for call in message.tool_calls:
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "4 C"})
    answer = client.chat.completions.create(model=model, messages=messages, tools=[chat_tool])
    assert "4 C" in answer.choices[0].message.content, answer


def chat_parse(model):
    parsed = client.chat.completions.parse(model=model, messages=[user], response_format=Book)
    assert isinstance(parsed.choices[0].message.parsed, Book), parsed


def responses(model):
    whole = client.responses.create(model=model, input="What is the gateway?")
    equal(whole.status, "completed")
    with client.responses.stream(model=model, input="What is the gateway?") as stream:
        numbers = [event.sequence_number for event in stream]
        final = stream.get_final_response()
    equal(numbers, list(range(len(numbers))))
    equal(final.output_text, whole.output_text)
    equal(final.usage.total_tokens, whole.usage.total_tokens)


def responses_create_stream(model):
    kinds = [event.type for event in client.responses.create(model=model, input="Hello", stream=True)]
    equal([kinds[0], kinds[-1]], ["response.created", "response.completed"])


def responses_tools(model):
    given = [{"role": "user", "content": question}]
    first = client.responses.create(
        model=model, input=given, tools=[tool], store=False, include=["reasoning.encrypted_content"]
    )
    calls = [item for item in first.output if item.type == "function_call"]
    equal([call.arguments for call in calls], ['{"city":"Oslo"}', '{"city":"Rome"}'])
    given += [item.to_dict() for item in first.output]
    given += [{"type": "function_call_output", "call_id": call.call_id, "output": "4 C"} for call in calls]
    assert "4 C" in client.responses.create(model=model, input=given, tools=[tool], store=False).output_text


def responses_parse(model):
    parsed = client.responses.parse(model=model, input="A book", text_format=Book)
    assert isinstance(parsed.output_parsed, Book), parsed


def completions(model):
    whole = client.completions.create(model=model, prompt="Once upon a time", max_tokens=50)
    stream = client.completions.create(model=model, prompt="Once upon a time", max_tokens=50, stream=True)
    equal("".join(chunk.choices[0].text for chunk in stream), whole.choices[0].text)


def unknown_model(_model):
    error = refusal(lambda: client.responses.create(model="nobody", input="Hello"), openai.NotFoundError)
    equal(error.code, "model_not_found")


def stream_that_breaks(model):
    fault = model.replace("sim-fast", "fault-error")
    refusal(
        lambda: list(client.chat.completions.create(model=fault, messages=[user], stream=True)),
        openai.APIError,
    )


run(
    models,
    chat,
    chat_tools,
    chat_parse,
    responses,
    responses_create_stream,
    responses_tools,
    responses_parse,
    completions,
    unknown_model,
    stream_that_breaks,
)
