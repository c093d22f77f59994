"""Cohere's Python client: rerank, by both of its versions."""

import cohere
from cohere.errors import BadRequestError, NotFoundError, UnauthorizedError
from checks import equal, refusal, run, token, url

first = cohere.Client(api_key=token, base_url=url, timeout=30)
second = cohere.ClientV2(api_key=token, base_url=url, timeout=30)
query = "What is the capital of France?"
documents = ["Bananas are yellow.", "The capital of France is Paris.", "Rome is the capital of Italy."]


def places(answer):
    scores = [each.relevance_score for each in answer.results]
    equal(scores, sorted(scores, reverse=True))
    return [each.index for each in answer.results]


def first_version(model):
    answer = first.rerank(model=model, query=query, documents=documents, return_documents=True)
    equal(sorted(places(answer)), [0, 1, 2])
    equal(answer.results[0].document.text, documents[1])
    equal(answer.meta.billed_units.search_units, 1)


def first_version_objects(model):
    objects = [{"title": text, "text": "nothing"} for text in documents]
    answer = first.rerank(model=model, query=query, documents=objects, rank_fields=["title"], top_n=1)
    equal(places(answer), [1])


def second_version(model):
    answer = second.rerank(model=model, query=query, documents=documents, top_n=2)
    equal(places(answer)[0], 1)
    equal(len(answer.results), 2)


def an_unknown_model(_model):
    error = refusal(lambda: second.rerank(model="nobody", query=query, documents=documents), NotFoundError)
    assert "does not exist" in error.body["message"], error.body


def no_documents(model):
    error = refusal(lambda: first.rerank(model=model, query=query, documents=[]), BadRequestError)
    equal(error.body["error"]["param"], "documents")


def a_wrong_token(model):
    wrong = cohere.ClientV2(api_key="nope", base_url=url)
    refusal(lambda: wrong.rerank(model=model, query=query, documents=documents), UnauthorizedError)


run(first_version, first_version_objects, second_version, an_unknown_model, no_documents, a_wrong_token)
