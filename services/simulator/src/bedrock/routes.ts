import type { Express } from 'express';
import type { Format } from '../common/format.ts';
import { generateRoute, postJson } from '../common/routes.ts';
import type { Traffic } from '../common/traffic.ts';
import { messages } from '../messages/format.ts';
import type { ParsedMessages } from '../messages/parse.ts';
import { Responder } from '../responder/responder.ts';
import { cohereEmbedOnBedrock, titanEmbed } from '../vectors/small-vendors.ts';
import { stream, whole } from './converse-answer.ts';
import { type ParsedConverse, parse } from './converse-parse.ts';
import { bedrockErrors, checkGuardrail, errorFrame, invalid, modelIn } from './errors.ts';
import { eventFrame, framed } from './frames.ts';

const converse: Format<ParsedConverse> = {
  ...bedrockErrors,
  parse: (body, _headers, url) => parse(body, url),
  whole,
  stream,
  errorEvent: errorFrame,
};

/** The version in AWS's documents, and those that Anthropic's SDK for Bedrock sends. */
const version = /^(?:bedrock-)?\d{4}-\d\d-\d\d$/;

/** InvokeModel of Anthropic's models: their own format, whose stream is wrapped into frames. */
const invokeModel: Format<ParsedMessages> = {
  ...bedrockErrors,
  parse(body, headers, url) {
    checkGuardrail(headers['x-amzn-bedrock-guardrailidentifier']);
    const {
      anthropic_version: given,
      anthropic_beta: _,
      ...request
    } = Object(body) as Record<string, unknown>;
    if (typeof given !== 'string' || !version.test(given)) throw invalid('anthropic_version: Field required');
    const unknown = ['model', 'stream'].find(name => name in request);
    if (unknown) throw invalid(`Malformed input request: #: extraneous key [${unknown}] is not permitted`);
    const stream = url.includes('/invoke-with-response-stream');
    const parsed = messages.parse(
      { ...request, model: modelIn(url), stream },
      { 'anthropic-version': '2023-06-01' },
      url,
    );
    return { ...parsed, streamType: 'application/vnd.amazon.eventstream' };
  },
  whole: messages.whole,
  stream: (parsed, answer) =>
    framed(messages.stream(parsed, answer), (_, data) =>
      eventFrame('chunk', JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abcdefgh' })),
    ),
  errorEvent: errorFrame,
};

/** Adds the runtime of Amazon Bedrock, whose requests are signed. */
export function addBedrock(app: Express, traffic: Traffic): void {
  const responder = new Responder();
  app.post(/^\/model\/[^/]+\/converse(?:-stream)?$/, generateRoute(converse, responder, traffic));
  app.post(/^\/model\/[^/]*amazon\.titan-embed-[^/]+\/invoke$/, postJson(titanEmbed, traffic));
  app.post(/^\/model\/[^/]*cohere\.embed-[^/]+\/invoke$/, postJson(cohereEmbedOnBedrock, traffic));
  app.post(
    /^\/model\/[^/]+\/invoke(?:-with-response-stream)?$/,
    generateRoute(invokeModel, responder, traffic),
  );
}
