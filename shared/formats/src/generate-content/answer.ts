import { z } from 'zod';
import { lenient, optionalText } from '../values/schemas.ts';
import type { GenerateContentFinish } from './finish.ts';

/** A part that the gateway writes. Reasoning whose text is not shown has only a signature. */
export type GenerateContentAnswerPart = { thoughtSignature?: string } & (
  | { text: string; thought?: true }
  | { thought: true }
  | { functionCall: { id?: string; name: string; args: Record<string, unknown> } }
  | { inlineData: { mimeType: string; data: string } }
  | { fileData: { mimeType?: string; fileUri: string } }
);

/** Token counts that the gateway writes; all are present. */
export interface GenerateContentUsage {
  promptTokenCount: number;
  cachedContentTokenCount: number;
  candidatesTokenCount: number;
  thoughtsTokenCount: number;
  toolUsePromptTokenCount: number;
  totalTokenCount: number;
  /** Prompt tokens by modality, if known. */
  promptTokensDetails?: { modality: string; tokenCount: number }[];
}

/** Sources of an answer; indexes count bytes of UTF-8. */
export interface GenerateContentGroundingWritten {
  groundingChunks: { web: { uri: string; title?: string } }[];
  groundingSupports: {
    segment: { partIndex?: number; startIndex: number; endIndex: number; text?: string };
    groundingChunkIndices: number[];
  }[];
}

export interface GenerateContentCandidate extends Partial<GenerateContentFinish> {
  index?: number;
  content?: { role: 'model'; parts: (GenerateContentAnswerPart | Record<string, unknown>)[] };
  groundingMetadata?: GenerateContentGroundingWritten;
  logprobsResult?: Record<string, unknown>;
}

/** A response, or a chunk of a stream, that the gateway writes. */
export interface GenerateContentAnswer {
  candidates?: GenerateContentCandidate[];
  promptFeedback?: { blockReason: string; blockReasonMessage?: string };
  usageMetadata?: GenerateContentUsage;
  modelVersion: string;
  responseId: string;
}

/*
 * Responses of generate-content as an upstream may send them: whole, or as a chunk of a stream, which has the
 * same shape. Fields with a default value (0, "", an empty list) may be left out, so nothing is required.
 */

const optionalObject = z.looseObject({}).nullish();
/** Some servers write numbers as strings. */
const tokenCount = lenient(z.coerce.number());

const modalityCounts = lenient(z.array(z.looseObject({ modality: optionalText, tokenCount })));

/**
 * Token counts. `promptTokenCount` includes cached tokens, `candidatesTokenCount` excludes reasoning. Each
 * chunk of a stream has the sum so far.
 */
const generateContentUpstreamUsage = z.looseObject({
  promptTokenCount: tokenCount,
  cachedContentTokenCount: tokenCount,
  candidatesTokenCount: tokenCount,
  thoughtsTokenCount: tokenCount,
  toolUsePromptTokenCount: tokenCount,
  totalTokenCount: tokenCount,
  promptTokensDetails: modalityCounts,
  candidatesTokensDetails: modalityCounts,
});
export type GenerateContentUpstreamUsage = z.infer<typeof generateContentUpstreamUsage>;

/** A part of a response; in a stream, a piece to append to those before it. */
const generateContentUpstreamPart = z.looseObject({
  text: optionalText,
  thought: z.boolean().nullish(),
  thoughtSignature: optionalText,
  functionCall: z
    .looseObject({ id: optionalText, name: optionalText, args: z.unknown().optional() })
    .nullish(),
  inlineData: z.looseObject({ mimeType: optionalText, data: optionalText }).nullish(),
  fileData: z.looseObject({ mimeType: optionalText, fileUri: optionalText }).nullish(),
  executableCode: z.looseObject({ language: optionalText, code: optionalText }).nullish(),
  codeExecutionResult: z.looseObject({ outcome: optionalText, output: optionalText }).nullish(),
  toolCall: optionalObject,
  toolResponse: optionalObject,
});
export type GenerateContentUpstreamPart = z.infer<typeof generateContentUpstreamPart>;

/** Sources of an answer. The indexes of a segment count bytes of UTF-8. */
const generateContentGrounding = z.looseObject({
  webSearchQueries: lenient(z.array(z.string())),
  groundingChunks: lenient(
    z.array(z.looseObject({ web: lenient(z.looseObject({ uri: optionalText, title: optionalText })) })),
  ),
  groundingSupports: lenient(
    z.array(
      z.looseObject({
        segment: lenient(
          z.looseObject({
            startIndex: lenient(z.number()),
            endIndex: lenient(z.number()),
            text: lenient(z.string()),
            partIndex: lenient(z.number()),
          }),
        ),
        groundingChunkIndices: lenient(z.array(z.number())),
      }),
    ),
  ),
});
export type GenerateContentGrounding = z.infer<typeof generateContentGrounding>;

const likely = z.looseObject({ token: optionalText, logProbability: z.number().nullish() });

/** Log probabilities, one entry per token in each list. */
const generateContentLogprobs = z.looseObject({
  chosenCandidates: lenient(z.array(likely)),
  topCandidates: lenient(z.array(z.looseObject({ candidates: lenient(z.array(likely)) }))),
});

/** A candidate, or a piece of one. It continues until it has a finish reason. */
const generateContentUpstreamCandidate = z.looseObject({
  index: lenient(z.number()),
  content: z
    .looseObject({ role: optionalText, parts: z.array(generateContentUpstreamPart).nullish() })
    .nullish(),
  finishReason: optionalText,
  /** Explains the reason. */
  finishMessage: optionalText,
  groundingMetadata: lenient(generateContentGrounding),
  logprobsResult: lenient(generateContentLogprobs),
  safetyRatings: lenient(z.array(z.looseObject({}))),
});

/** An error of an upstream that speaks this format. `code` repeats the HTTP status. */
export const generateContentUpstreamError = z.looseObject({
  code: lenient(z.number()),
  message: lenient(z.string()),
  status: lenient(z.string()),
  /** Entries by `@type`; one holds the time to wait: `{"@type":"…RetryInfo","retryDelay":"34s"}`. */
  details: lenient(
    z.array(
      z.looseObject({
        '@type': lenient(z.string()),
        reason: lenient(z.string()),
        retryDelay: lenient(z.string()),
        /** The invalid fields, in snake_case: `generation_config.temperature`. */
        fieldViolations: lenient(z.array(z.looseObject({ field: lenient(z.string()) }))),
      }),
    ),
  ),
});
export type GenerateContentUpstreamError = z.infer<typeof generateContentUpstreamError>;

/** A whole response, or a chunk of a stream; one with `error` ends a failed stream. */
export const generateContentUpstreamAnswer = z.looseObject({
  candidates: z.array(generateContentUpstreamCandidate).nullish(),
  /** The reason why the prompt was blocked; there are no candidates then. */
  promptFeedback: z.looseObject({ blockReason: optionalText, blockReasonMessage: optionalText }).nullish(),
  usageMetadata: generateContentUpstreamUsage.nullish(),
  modelVersion: optionalText,
  responseId: optionalText,
  error: z.unknown().optional(),
});
export type GenerateContentUpstreamAnswer = z.infer<typeof generateContentUpstreamAnswer>;

/** The response of `:countTokens`. */
export const generateContentTokenCount = z.looseObject({
  totalTokens: z.number(),
  cachedContentTokenCount: tokenCount,
});
export type GenerateContentTokenCount = z.infer<typeof generateContentTokenCount>;
