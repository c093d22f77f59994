import { z } from 'zod';

/*
 * Answers of generate content as an upstream may send them: whole, and as a chunk of a stream, which has the same shape.
 * Fields with a default value (0, "", an empty list) may be left out, so nothing is required.
 */

const optionalText = z.string().nullish();
const optionalObject = z.looseObject({}).nullish();
const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);
/** Some servers write numbers as text. */
const tokenCount = lenient(z.coerce.number());

const modalityCounts = lenient(z.array(z.looseObject({ modality: optionalText, tokenCount })));

/**
 * Token counts. `promptTokenCount` includes cached ones, `candidatesTokenCount` does not include thoughts; in a stream each
 * chunk has the sum so far.
 */
export const generateContentUpstreamUsage = z.looseObject({
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

/** A part of an answer; in a stream a new piece, to be put after those before it. */
export const generateContentUpstreamPart = z.looseObject({
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

/** Where an answer comes from. The indexes of a segment count bytes of UTF-8. */
export const generateContentGrounding = z.looseObject({
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

/** The likelihoods of tokens, one entry of each list a token. */
export const generateContentLogprobs = z.looseObject({
  chosenCandidates: lenient(z.array(likely)),
  topCandidates: lenient(z.array(z.looseObject({ candidates: lenient(z.array(likely)) }))),
});
export type GenerateContentLogprobs = z.infer<typeof generateContentLogprobs>;

/** One of the answers, or more of it. Without a finish reason it goes on. */
export const generateContentUpstreamCandidate = z.looseObject({
  index: z.number().nullish(),
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
export type GenerateContentUpstreamCandidate = z.infer<typeof generateContentUpstreamCandidate>;

/** What an upstream that speaks this format may put into an error. `code` repeats the HTTP status. */
export const generateContentUpstreamError = z.looseObject({
  code: lenient(z.number()),
  message: lenient(z.string()),
  status: lenient(z.string()),
  /** Each with its `@type`, among them how long to wait: `{"@type":"…RetryInfo","retryDelay":"34s"}`. */
  details: lenient(
    z.array(
      z.looseObject({
        '@type': lenient(z.string()),
        reason: lenient(z.string()),
        retryDelay: lenient(z.string()),
        /** What is wrong where, in snake_case: `generation_config.temperature`. */
        fieldViolations: lenient(z.array(z.looseObject({ field: lenient(z.string()) }))),
      }),
    ),
  ),
});
export type GenerateContentUpstreamError = z.infer<typeof generateContentUpstreamError>;

/** A whole answer, or a chunk of a stream; with `error`, the end of one that failed. */
export const generateContentUpstreamAnswer = z.looseObject({
  candidates: z.array(generateContentUpstreamCandidate).nullish(),
  /** Why nothing is answered; there are no candidates then. */
  promptFeedback: z.looseObject({ blockReason: optionalText, blockReasonMessage: optionalText }).nullish(),
  usageMetadata: generateContentUpstreamUsage.nullish(),
  modelVersion: optionalText,
  responseId: optionalText,
  error: z.unknown().optional(),
});
export type GenerateContentUpstreamAnswer = z.infer<typeof generateContentUpstreamAnswer>;

/** The answer of `:countTokens`. */
export const generateContentTokenCount = z.looseObject({
  totalTokens: z.number(),
  cachedContentTokenCount: tokenCount,
});
export type GenerateContentTokenCount = z.infer<typeof generateContentTokenCount>;
