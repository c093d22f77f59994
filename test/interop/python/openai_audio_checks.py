"""OpenAI's Python client: speech, transcriptions and translations."""

import io
import wave

import openai
from checks import equal, refusal, run, token, url

client = openai.OpenAI(base_url=url + "/v1", api_key=token, max_retries=0, timeout=30)
spoken = {"input": "Hello there, gateway!", "voice": "alloy"}


def recording(seconds=4):
    """A WAV file, and nothing to hear."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, 8000, 0, "NONE", ""))
        writer.writeframes(bytes(seconds * 16000))
    return ("talk.wav", file.getvalue())


def transcribe(model, **more):
    return client.audio.transcriptions.create(model=model, file=recording(), **more)


def speech(model):
    types = {"mp3": "mpeg", "opus": "opus", "aac": "aac", "flac": "flac", "wav": "wav", "pcm": "pcm"}
    for name, subtype in types.items():
        answer = client.audio.speech.create(model=model, response_format=name, **spoken)
        equal(answer.response.headers["content-type"], f"audio/{subtype}")
        assert len(answer.content) > 500, name


def speech_as_it_comes(model):
    with client.audio.speech.with_streaming_response.create(model=model, **spoken) as answer:
        pieces = list(answer.iter_bytes(256))
    whole = client.audio.speech.create(model=model, **spoken).content
    equal(b"".join(pieces), whole)


def speech_as_events(model):
    answer = client.audio.speech.create(model=model, stream_format="sse", **spoken)
    assert '"speech.audio.done"' in answer.text, answer.text[-200:]


def transcriptions(model):
    heard = transcribe(model, language="en", temperature=0.2)
    assert heard.text.startswith("Good morning"), heard
    for name in ["text", "srt", "vtt"]:
        assert isinstance(transcribe(model, response_format=name), str), name
    diarized = transcribe(model, response_format="diarized_json", chunking_strategy="auto")
    equal(diarized.segments[0].type, "transcript.text.segment")


def transcriptions_with_times(model):
    heard = transcribe(
        model, response_format="verbose_json", timestamp_granularities=["word", "segment"]
    )
    assert heard.words and heard.segments, heard
    assert 3.9 < float(heard.duration) < 4.1, heard.duration


def transcriptions_streamed(model):
    events = list(transcribe(model, stream=True))
    text = "".join(event.delta for event in events if event.type == "transcript.text.delta")
    equal(events[-1].type, "transcript.text.done")
    equal(events[-1].text, text)


def transcriptions_of_a_long_file(model):
    heard = client.audio.transcriptions.create(model=model, file=recording(200))
    assert heard.text, heard


def translations(model):
    heard = client.audio.translations.create(model=model, file=recording(), prompt="Hi")
    assert heard.text, heard
    text = client.audio.translations.create(model=model, file=recording(), response_format="text")
    assert isinstance(text, str), text


def errors(model):
    error = refusal(lambda: transcribe(model, temperature=9), openai.BadRequestError)
    # The gateway leaves the bounds to the upstream.
    equal((error.code, error.param), ("integer_above_max_value", "temperature"))
    error = refusal(
        lambda: client.audio.speech.create(model=model, input="", voice="alloy"), openai.BadRequestError
    )
    equal(error.param, "input")
    refusal(lambda: transcribe("none"), openai.NotFoundError)


run(
    speech,
    speech_as_it_comes,
    speech_as_events,
    transcriptions,
    transcriptions_with_times,
    transcriptions_streamed,
    transcriptions_of_a_long_file,
    translations,
    errors,
)
