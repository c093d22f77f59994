import type { EmbedAnswer } from './embed/answer.ts';
import type { EmbedRequest } from './embed/request.ts';
import type { GenerateRequest } from './generate/request.ts';
import type { ImageAnswer } from './image/answer.ts';
import type { ImageRequest } from './image/request.ts';
import type { RerankAnswer } from './rerank/answer.ts';
import type { RerankRequest } from './rerank/request.ts';
import type { SpeechRequest } from './speech/request.ts';
import type { TranscribeAnswer } from './transcribe/answer.ts';
import type { TranscribeRequest } from './transcribe/request.ts';

/** A canonical request of an operation. */
export type OperationRequest =
  | GenerateRequest
  | EmbedRequest
  | RerankRequest
  | ImageRequest
  | SpeechRequest
  | TranscribeRequest;

/** The result of an operation other than generate; it is not streamed. */
export type Result = EmbedAnswer | RerankAnswer | ModerateAnswer | ImageAnswer | TranscribeAnswer;

/** A model's verdicts on the inputs of a moderation, in their order. */
export interface ModerateAnswer {
  type: 'moderation';
  /** The upstream's id of the answer; empty if it has none. */
  id: string;
  /** The model's name in the upstream's answer; empty if absent. */
  model: string;
  results: {
    /** True if any category is. */
    flagged: boolean;
    /** Null for a category that the model does not know. */
    categories: Record<string, boolean | null>;
    /** From 0 to 1, by category. */
    scores: Record<string, number | null>;
  }[];
}
