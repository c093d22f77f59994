import { GatewayError, type RerankRequest } from '@model-gateway/canonical';
import { invalidRequest, type ParsedOperation } from '@model-gateway/ingress';
import { omitNullish } from '@model-gateway/json';
import { type RerankDocument, rerankRequest } from '@model-gateway/wire';
import type { RerankAnswerOptions } from './render.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation<RerankAnswerOptions> {
  const { success, data, error } = rerankRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens } = data;
  const fields = data.rank_fields?.length ? data.rank_fields : ['text'];
  const texts = documents.map((document, i) => textOf(document, fields, `documents[${i}]`));
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

/** Returns the text that is ranked: for an object, its fields in `fields`, one per line. */
function textOf(document: RerankDocument, fields: readonly string[], param: string): string {
  if (typeof document === 'string') return document;
  const texts = fields.flatMap(field => (Object.hasOwn(document, field) ? (document[field] ?? []) : []));
  if (texts.length === 0) throw missing(`${param}.${fields[0]}`);
  return texts.map(text => (typeof text === 'string' ? text : JSON.stringify(text))).join('\n');
}

function missing(param: string): GatewayError {
  const message = `Missing required parameter: '${param}'.`;
  return new GatewayError('invalid-request', message, { param, code: 'missing_required_parameter' });
}
