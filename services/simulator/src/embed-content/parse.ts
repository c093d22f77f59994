import type { IncomingHttpHeaders } from 'node:http';
import { camelCased } from '@model-gateway/wire';
import { complaint, wrong } from '../generate-content/complaint.ts';
import { targetOf } from '../generate-content/target.ts';
import { tokensInAll } from '../vectors/tokens.ts';
import { dimensionsOf } from '../vectors/vector.ts';
import { batchRequest, type EmbedRequest, embedRequest } from './request.ts';

export interface EmbedAsked {
  model: string;
  wanted: { text: string; dimensions: number }[];
  tokens: number;
}

/** Reads a request for one vector. @throws Refusal as the vendor would */
export function parse(body: unknown, _headers: IncomingHttpHeaders, url: string): EmbedAsked {
  const { model } = targetOf(url);
  const { data: request, error } = embedRequest.safeParse(camelCased(body));
  if (!request) throw complaint(error);
  return read(model, [request]);
}

/** Reads a request for many. @throws Refusal as the vendor would */
export function parseBatch(body: unknown, _headers: IncomingHttpHeaders, url: string): EmbedAsked {
  const { model } = targetOf(url);
  const { data, error } = batchRequest.safeParse(camelCased(body));
  if (!data) throw complaint(error);
  const other = data.requests.findIndex(request => request.model !== `models/${model}`);
  if (other >= 0)
    throw wrong(
      `* BatchEmbedContentsRequest.requests[${other}].model: the model must be the one in the URL`,
      `requests[${other}].model`,
    );
  return read(model, data.requests);
}

function read(model: string, requests: EmbedRequest[]): EmbedAsked {
  const wanted = requests.map(request => ({
    text: textOf(request),
    dimensions: request.outputDimensionality ?? dimensionsOf(model),
  }));
  return { model, wanted, tokens: tokensInAll(wanted.map(({ text }) => text)) };
}

/** What is in a content; media counts as its data. */
function textOf({ content }: EmbedRequest): string {
  return content.parts.map(({ text, ...data }) => text ?? JSON.stringify(data)).join('\n');
}
