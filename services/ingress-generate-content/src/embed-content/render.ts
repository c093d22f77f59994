import {
  arePacked,
  type EmbedAnswer,
  GatewayError,
  type Usage,
  type Vector,
  vectorJson,
} from '@model-gateway/canonical';
import { RenderedPieces, type ResultRenderer } from '@model-gateway/ingress';
import type { BatchEmbedAnswer, EmbedContentAnswer } from '@model-gateway/wire';

/** Writes the vector of one content. */
export const contentRenderer: ResultRenderer<EmbedAnswer> = {
  result: ({ vectors: [vector = []] }, usage): EmbedContentAnswer => ({
    embedding: { values: vectorJson(vector) },
    ...renderUsage(usage),
  }),
};

/** Not all vendors tell it, and the format need not. */
export function renderUsage(usage: Usage | null) {
  return usage && usage.input > 0 ? { usageMetadata: { promptTokenCount: usage.input } } : {};
}

/** Writes the vectors of several contents. */
export const batchRenderer: ResultRenderer<EmbedAnswer> = {
  result({ vectors }, usage): BatchEmbedAnswer | RenderedPieces {
    const item = (vector: Vector) => ({ values: vectorJson(vector) });
    return arePacked(vectors)
      ? new RenderedPieces({ embeddings: vectors.values().map(item), ...renderUsage(usage) })
      : { embeddings: vectors.map(item), ...renderUsage(usage) };
  },
};

/** Renames the `param` of an error about the inputs: this endpoint has one input, `content`. */
export function nameContent(error: GatewayError): GatewayError {
  const { kind, message, details, cause } = error;
  const { param } = details;
  if (!param || !/^requests(\[0\])?$/.test(param)) return error;
  const told = message.replaceAll(`'${param}'`, "'content'");
  return new GatewayError(kind, told, { ...details, param: 'content' }, { cause });
}
