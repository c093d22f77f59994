import { GatewayError, type RerankRequest } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { invalidRequest } from '../client/invalid.ts';
import type { ParsedOperation } from '../client/parsed-request.ts';
import type { RerankAnswerOptions } from './render.ts';
import { type RerankDocument, rerankRequest } from './types.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation<RerankAnswerOptions> {
  const { success, data, error } = rerankRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens } = data;
  const fields = [...new Set(data.rank_fields?.length ? data.rank_fields : ['text'])];
  const places = new Map(fields.map((field, at) => [field, at]));
  const texts = documents.map((document, i) => textOf(document, places, `documents[${i}]`));
  return {
    type: 'rerank',
    model,
    stream: false,
    canonical: (): RerankRequest =>
      omitNullish({ query, documents: texts, top: top || undefined, maxTokens }),
    rendering: {
      model,
      count: documents.length,
      returned: data.return_documents ? documents : undefined,
    },
  };
}

/** Returns the text that is ranked: for an object, its fields in the order of `places`, one per line. */
function textOf(document: RerankDocument, places: ReadonlyMap<string, number>, param: string): string {
  if (typeof document === 'string') return document;
  // By the fields of the document: as many names as documents would be looked up in each of them otherwise.
  const named = Object.keys(document).filter(field => places.has(field));
  named.sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
  const texts = named.flatMap(field => document[field] ?? []);
  if (texts.length === 0) throw missing(`${param}.${[...places.keys()][0]}`);
  return texts.map(text => (typeof text === 'string' ? text : JSON.stringify(text))).join('\n');
}

function missing(param: string): GatewayError {
  const message = `Missing required parameter: '${param}'.`;
  return new GatewayError('invalid-request', message, { param, code: 'missing_required_parameter' });
}
