"""OpenAI's Python client: images."""

import base64
import io

import openai
from checks import equal, refusal, run, token, url

client = openai.OpenAI(base_url=url + "/v1", api_key=token, max_retries=0, timeout=30)
png = b"\x89PNG\r\n\x1a\n"


def drawn(answer):
    """The images of an answer, as bytes."""
    images = [base64.b64decode(image.b64_json) for image in answer.data]
    for image in images:
        assert image.startswith(png), "no PNG"
    return images


def fox(model):
    return drawn(client.images.generate(model=model, prompt="A fox"))[0]


def named(image, name):
    file = io.BytesIO(image)
    file.name = name
    return file


def generate(model):
    answer = client.images.generate(model=model, prompt="A fox", n=2, size="1024x1024")
    equal(len(drawn(answer)), 2)
    assert answer.usage.total_tokens > 0, "no usage"


def generate_streamed(model):
    events = list(client.images.generate(model=model, prompt="A fox", stream=True, partial_images=1))
    last = events[-1]
    equal(last.type, "image_generation.completed")
    assert base64.b64decode(last.b64_json).startswith(png), "no PNG"
    assert last.usage.total_tokens > 0, "no usage"


def edit_of_one(model):
    file = named(fox(model), "fox.png")
    equal(len(drawn(client.images.edit(model=model, prompt="Add a hat", image=file))), 1)


def edit_of_several(model):
    image = fox(model)
    files = [named(image, "a.png"), ("b.png", image, "image/png")]
    equal(len(drawn(client.images.edit(model=model, prompt="Add a hat", image=files, n=2))), 2)


def edit_streamed(model):
    file = named(fox(model), "fox.png")
    events = list(client.images.edit(model=model, prompt="Add a hat", image=file, stream=True))
    equal([event.type for event in events], ["image_edit.completed"])


def bad_input(model):
    ask = lambda: client.images.edit(model=model, prompt="Add a hat", image=b"no image")
    error = refusal(ask, openai.BadRequestError)
    equal((error.param, error.code), ("image", "invalid_image_file"))


run(generate, generate_streamed, edit_of_one, edit_of_several, edit_streamed, bad_input)
