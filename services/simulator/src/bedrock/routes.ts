import type { Express } from 'express';
import type { Format } from '../format.ts';
import { Responder } from '../responder/responder.ts';
import { generateRoute, postJson } from '../routes.ts';
import type { Traffic } from '../traffic.ts';
import { cohereEmbedOnBedrock, titanEmbed } from '../vectors/small-vendors.ts';
import { stream, whole } from './converse-answer.ts';
import { type ParsedConverse, parse } from './converse-parse.ts';
import { bedrockErrors, errorFrame } from './errors.ts';
import { invokeModel } from './invoke.ts';

const converse: Format<ParsedConverse> = {
  ...bedrockErrors,
  parse: (body, _headers, url) => parse(body, url),
  whole,
  stream,
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
