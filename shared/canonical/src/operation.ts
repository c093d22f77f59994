import type { EmbedAnswer } from './embed/answer.ts';
import type { EmbedRequest } from './embed/request.ts';
import type { FinishEvent, GenerateEvent, ResultEvent } from './generate/event.ts';
import type { GenerateRequest } from './generate/request.ts';
import type { ImageAnswer } from './image/answer.ts';
import type { ImageRequest } from './image/request.ts';
import type { RerankAnswer } from './rerank/answer.ts';
import type { RerankRequest } from './rerank/request.ts';
import type { Usage } from './usage.ts';

/** What is asked of a model, in no format. */
export type OperationRequest = GenerateRequest | EmbedRequest | RerankRequest | ImageRequest;

/** The answer to what a model is asked beside to generate: it comes in one piece. */
export type Result = EmbedAnswer | RerankAnswer | ImageAnswer | TranscribeAnswer;

/** The events of an answer that comes in one piece. */
export function resultEvents(result: Result, usage: Usage | null): [ResultEvent, FinishEvent] {
  return [
    { type: 'result', result },
    { type: 'finish', reason: 'stop', raw: null, usage },
  ] satisfies GenerateEvent[] as [ResultEvent, FinishEvent];
}

/** What was said in an audio. */
export interface TranscribeAnswer {
  type: 'transcript';
  text: string;
}
