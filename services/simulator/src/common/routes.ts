import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import type { Answer } from '../responder/answer.ts';
import type { Prompt } from '../responder/prompt.ts';
import type { Responder } from '../responder/responder.ts';
import { inputTokens } from '../responder/usage.ts';
import { readJson } from './body.ts';
import { deliver, immediate, type Outcome } from './delivery.ts';
import type { Form } from './form.ts';
import type { ErrorFormat, Format, ParsedRequest } from './format.ts';
import { type BodyReader, formBody, guarded, type IncomingRequest } from './guarded.ts';
import { type Mark, marked } from './stream-faults.ts';
import type { Traffic } from './traffic.ts';

/** An API that does not generate text. */
export interface Api<A extends { model: string }, Body = unknown> {
  format: ErrorFormat;
  /** @throws ApiError as the vendor would */
  parse(body: Body, headers: IncomingHttpHeaders, url: string): A;
  answer(parsed: A, mark?: Mark): Outcome;
}

/** Another vendor's departures from the API. */
export interface Elsewhere {
  errors(format: ErrorFormat): Partial<ErrorFormat>;
  /** Checks the address of a request, and returns the body that the API itself would get. @throws ApiError as the vendor would */
  addressed(body: unknown, url: string): unknown;
}

/** Returns a format as another vendor serves it. */
export function formatAt<A extends ParsedRequest>(format: Format<A>, place: Elsewhere): Format<A> {
  return {
    ...format,
    ...place.errors(format),
    parse: (body, headers, url) => format.parse(place.addressed(body, url), headers, url),
  };
}

/** Returns another API as another vendor serves it. */
export function apiAt<A extends { model: string }, Body>(api: Api<A, Body>, place: Elsewhere): Api<A, Body> {
  return {
    ...api,
    format: { ...api.format, ...place.errors(api.format) },
    parse: (body, headers, url) => api.parse(place.addressed(body, url) as Body, headers, url),
  };
}

export function postJson<A extends { model: string }>(api: Api<A>, traffic: Traffic): RequestHandler {
  const { format } = api;
  return guarded(format, traffic, (incoming, body) => answered(api, traffic, incoming, readJson(body)));
}

/** A route whose body is not JSON, but a form or a file. */
export function postBody<A extends { model: string }, Body>(
  api: Api<A, Body>,
  traffic: Traffic,
  reader: BodyReader<Body>,
): RequestHandler {
  const { format } = api;
  return guarded(format, traffic, (incoming, body) => answered(api, traffic, incoming, body), reader);
}

/** A route that takes the same as JSON and as a form. */
export function postEither<A extends { model: string }, B extends { model: string }>(
  json: Api<A>,
  form: Api<B, Form>,
  traffic: Traffic,
  keptBytes: number,
): RequestHandler {
  const asJson = postJson(json, traffic);
  const asForm = postBody(form, traffic, formBody(keptBytes));
  return (request, ...rest) => (request.is('application/json') ? asJson : asForm)(request, ...rest);
}

function answered<A extends { model: string }, Body>(
  { format, parse, answer }: Api<A, Body>,
  traffic: Traffic,
  incoming: IncomingRequest,
  body: Body,
): Promise<void> {
  const { headers, originalUrl } = incoming.request;
  const parsed = parse(body, headers, originalUrl);
  return deliver(format, traffic, incoming, parsed.model, mark => answer(parsed, mark));
}

/** A route that counts the tokens of a prompt. Nothing is generated or cached. */
export function countRoute<A extends ParsedRequest>(
  format: Format<A>,
  traffic: Traffic,
  parse: (...request: Parameters<Format<A>['parse']>) => ParsedRequest,
  body: (tokens: number) => unknown,
): RequestHandler {
  const answer = (prompt: Prompt) => immediate(prompt.model, body(inputTokens(prompt)));
  return postJson({ format, parse: (...request) => parse(...request).prompt, answer }, traffic);
}

export function generateRoute<A extends ParsedRequest>(
  format: Format<A>,
  responder: Responder,
  traffic: Traffic,
): RequestHandler {
  return guarded(format, traffic, (incoming, body) => {
    const { headers, originalUrl } = incoming.request;
    const parsed = format.parse(readJson(body), headers, originalUrl);
    return deliver(format, traffic, incoming, parsed.prompt.model, mark => {
      const answer = responder.answer(parsed.prompt);
      return outcomeOf(format, parsed, mark ? marked(answer, mark) : answer, incoming.requestId);
    });
  });
}

function outcomeOf<A extends ParsedRequest>(
  format: Format<A>,
  parsed: A,
  answer: Answer,
  requestId: string,
): Outcome {
  const { usage, pace, replies } = answer;
  const tokens = Math.max(...replies.map(({ steps }) => steps.length));
  if (!parsed.stream) return { kind: 'whole', usage, body: format.whole(parsed, answer), pace, tokens };
  return {
    kind: 'stream',
    usage,
    flow: format.stream(parsed, answer),
    pace,
    ...(parsed.streamType && { type: parsed.streamType }),
    errorEvent: (error, written) => format.errorEvent(error, requestId, { parsed, answer, written }),
  };
}
