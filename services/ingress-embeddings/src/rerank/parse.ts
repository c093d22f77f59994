import { GatewayError, given, type RerankRequest } from '@model-gateway/canonical';
import { invalidRequest, type ParsedOperation } from '@model-gateway/ingress';
import { type RerankDocument, rerankRequest } from '@model-gateway/wire';
import { rerankRenderer } from './render.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation {
  const { success, data, error } = rerankRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens } = data;
  const fields = data.rank_fields?.length ? data.rank_fields : ['text'];
  const texts = documents.map((document, i) => textOf(document, fields, `documents[${i}]`));
  return {
    model,
    stream: false,
    canonical: (): RerankRequest => given({ query, documents: texts, top: top || undefined, maxTokens }),
    render: rerankRenderer({
      model,
      count: documents.length,
      shown: data.return_documents ? documents : undefined,
    }),
  };
}

/** What of a document is ranked: of an object the fields that there are, each on a line. */
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
