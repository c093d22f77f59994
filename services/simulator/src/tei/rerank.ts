import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { atOnce, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/mark.ts';
import { ranking } from '../vectors/ranking.ts';
import { tokensIn, tokensInAll } from '../vectors/tokens.ts';
import { checkBatch, checkLength, complaint } from './complaint.ts';
import { modelIn } from './target.ts';

const rerankRequest = z.looseObject({
  query: z.string(),
  texts: z.array(z.string()),
  raw_scores: z.boolean().nullish(),
  return_text: z.boolean().nullish(),
  truncate: z.boolean().nullish(),
});

export interface RerankAsked {
  model: string;
  query: string;
  texts: string[];
  raw: boolean;
  shown: boolean;
}

/** @throws Refusal as the server would */
export function parseRerank(body: unknown, _headers: IncomingHttpHeaders, url: string): RerankAsked {
  const { data: request, error } = rerankRequest.safeParse(body);
  if (!request) throw complaint(error);
  const { query, texts, truncate, raw_scores: raw, return_text: shown } = request;
  checkBatch('texts', texts);
  for (const text of texts) checkLength(tokensIn(query + text), truncate);
  return { model: modelIn(url), query, texts, raw: raw ?? false, shown: shown ?? false };
}

/** The ranks alone, the best first. */
export function rerank({ model, query, texts, raw, shown }: RerankAsked, mark?: Mark): Outcome {
  const body = ranking(query, texts).map(one => ({
    index: one.index,
    ...(shown && { text: withMark(texts[one.index] ?? '', mark) }),
    score: raw ? one.raw : one.score,
  }));
  return atOnce(model, body, tokensInAll([query, ...texts]));
}
