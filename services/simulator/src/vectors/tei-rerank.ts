import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { immediate, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/stream-faults.ts';
import { checkBatch, checkLength, modelIn, validationError } from './tei.ts';
import { ranking, tokensIn, tokensInAll } from './vector.ts';

const rerankRequest = z.looseObject({
  query: z.string(),
  texts: z.array(z.string()),
  raw_scores: z.boolean().nullish(),
  return_text: z.boolean().nullish(),
  truncate: z.boolean().nullish(),
});

export interface ParsedRerank {
  model: string;
  query: string;
  texts: string[];
  raw: boolean;
  shown: boolean;
}

export function parseRerank(body: unknown, _headers: IncomingHttpHeaders, url: string): ParsedRerank {
  const { data: request, error } = rerankRequest.safeParse(body);
  if (!request) throw validationError(error);
  const { query, texts, truncate, raw_scores: raw, return_text: shown } = request;
  checkBatch('texts', texts);
  for (const text of texts) checkLength(tokensIn(query + text), truncate);
  return { model: modelIn(url), query, texts, raw: raw ?? false, shown: shown ?? false };
}

export function rerank({ model, query, texts, raw, shown }: ParsedRerank, mark?: Mark): Outcome {
  const body = ranking(query, texts).map(one => ({
    index: one.index,
    ...(shown && { text: withMark(texts[one.index] ?? '', mark) }),
    score: raw ? one.raw : one.score,
  }));
  return immediate(model, body, tokensInAll([query, ...texts]));
}
