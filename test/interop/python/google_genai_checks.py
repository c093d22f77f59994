"""Google's Python client: whole and streamed contents, functions that it runs by itself, counts of tokens."""

from checks import Book, equal, question, refusal, run, token, url, weather
from google import genai
from google.genai import errors, types

client = genai.Client(api_key=token, http_options=types.HttpOptions(base_url=url))
prompt = "What is the gateway?"


def declared():
    declaration = types.FunctionDeclaration(
        name="weather", description="The weather in a city", parameters_json_schema=weather
    )
    return types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declaration])])


def generate(model):
    whole = client.models.generate_content(model=model, contents=prompt)
    equal(whole.candidates[0].finish_reason, types.FinishReason.STOP)
    chunks = list(client.models.generate_content_stream(model=model, contents=prompt))
    equal("".join(chunk.text or "" for chunk in chunks), whole.text)
    equal(chunks[-1].usage_metadata.total_token_count, whole.usage_metadata.total_token_count)


def tools(model):
    asked = types.Content(role="user", parts=[types.Part(text=question)])
    parts = []
    for chunk in client.models.generate_content_stream(model=model, contents=[asked], config=declared()):
        parts += chunk.candidates[0].content.parts or []
    calls = [part.function_call for part in parts if part.function_call]
    equal([call.args for call in calls], [{"city": "Oslo"}, {"city": "Rome"}])
    results = [
        types.Part(
            function_response=types.FunctionResponse(id=call.id, name=call.name, response={"result": "4 C"})
        )
        for call in calls
    ]
    history = [asked, types.Content(role="model", parts=parts), types.Content(role="user", parts=results)]
    answer = client.models.generate_content(model=model, contents=history, config=declared())
    assert "4 C" in answer.text, answer.text


def tools_that_it_runs(model):
    asked = []

    def weather(city: str) -> str:
        """The weather in a city"""
        asked.append(city)
        return "4 C"

    answer = client.models.generate_content(
        model=model, contents=question, config=types.GenerateContentConfig(tools=[weather])
    )
    equal(asked, ["Oslo", "Rome"])
    assert "4 C" in answer.text, answer.text


def chat(model):
    session = client.chats.create(model=model)
    assert session.send_message(prompt).text
    assert "".join(chunk.text or "" for chunk in session.send_message_stream("And who are you?"))


def schema(model):
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=Book)
    answer = client.models.generate_content(model=model, contents="A book", config=config)
    assert isinstance(answer.parsed, Book), answer


def count_tokens(model):
    assert client.models.count_tokens(model=model, contents=prompt).total_tokens > 0


def models(_model):
    assert [found.name for found in client.models.list()], "no models"


def unknown_model(_model):
    ask = lambda: client.models.generate_content(model="nobody", contents=prompt)  # noqa: E731
    equal(refusal(ask, errors.ClientError).status, "NOT_FOUND")


def stream_that_breaks(model):
    fault = model.replace("sim-fast", "fault-error")
    ask = lambda: list(client.models.generate_content_stream(model=fault, contents=prompt))  # noqa: E731
    refusal(ask, errors.ServerError)


run(
    generate, tools, tools_that_it_runs, chat, schema, count_tokens, models, unknown_model, stream_that_breaks
)
