import { z } from 'zod';
import { complaint } from '../openai-complaint.ts';

const mostDocuments = 2_048;

/** As Jina and vLLM take it; fields that only one of them knows are read over. */
const rerankRequest = z.looseObject({
  model: z.string().min(1),
  query: z.string().min(1),
  documents: z
    .array(z.union([z.string(), z.looseObject({ text: z.string() })]))
    .min(1)
    .max(mostDocuments),
  top_n: z.int().min(0).nullish(),
  return_documents: z.boolean().nullish(),
});

export interface RerankAsked {
  model: string;
  query: string;
  documents: string[];
  top: number;
  /** Whether the documents stand in the answer. */
  shown: boolean;
}

/** Both show documents unless they are told not to, and of `top_n` 0 is all. @throws Refusal */
export function parse(body: unknown): RerankAsked {
  const { data: request, error } = rerankRequest.safeParse(body);
  if (!request) throw complaint(body, error);
  const { model, query, documents, top_n: top, return_documents: shown } = request;
  return {
    model,
    query,
    documents: documents.map(one => (typeof one === 'string' ? one : one.text)),
    top: top || documents.length,
    shown: shown ?? true,
  };
}
