"""Vectors, by OpenAI's Python client and by Google's."""

import base64
import struct

import openai
from checks import equal, refusal, run, token, url
from google import genai
from google.genai import types

client = openai.OpenAI(base_url=url + "/v1", api_key=token, max_retries=0, timeout=30)
google = genai.Client(api_key=token, http_options=types.HttpOptions(base_url=url))
texts = ["A cat sleeps.", "Ein Hund bellt.", "猫が眠る。"]


def floats(numbers):
    return list(struct.unpack(f"<{len(numbers)}f", struct.pack(f"<{len(numbers)}f", *numbers)))


def numbers(model):
    asked = client.embeddings.create(model=model, input=texts, encoding_format="float", dimensions=256)
    return [floats(each.embedding) for each in asked.data]


def usual_and_float(model):
    usual = client.embeddings.create(model=model, input=texts, dimensions=256)
    equal([each.index for each in usual.data], [0, 1, 2])
    equal([floats(each.embedding) for each in usual.data], numbers(model))
    assert usual.usage.prompt_tokens > 0, usual.usage


def base64_is_the_same(model):
    asked = client.embeddings.create(model=model, input=texts, encoding_format="base64", dimensions=256)
    read = [list(struct.unpack("<256f", base64.b64decode(each.embedding))) for each in asked.data]
    equal(read, numbers(model))


def google_is_the_same(model):
    config = types.EmbedContentConfig(output_dimensionality=256)
    answer = google.models.embed_content(model=model, contents=texts, config=config)
    equal([floats(each.values) for each in answer.embeddings], numbers(model))


def many(model):
    asked = client.embeddings.create(model=model, input=[f"text {i}" for i in range(150)])
    equal([each.index for each in asked.data], list(range(150)))


def an_empty_input(model):
    error = refusal(lambda: client.embeddings.create(model=model, input=["x", ""]), openai.BadRequestError)
    equal([error.param, error.code], ["input[1]", "invalid_value"])


run(usual_and_float, base64_is_the_same, google_is_the_same, many, an_empty_input)
