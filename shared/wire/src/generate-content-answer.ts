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
export const googleUpstreamUsage = z.looseObject({
  promptTokenCount: tokenCount,
  cachedContentTokenCount: tokenCount,
  candidatesTokenCount: tokenCount,
  thoughtsTokenCount: tokenCount,
  toolUsePromptTokenCount: tokenCount,
  totalTokenCount: tokenCount,
  promptTokensDetails: modalityCounts,
  candidatesTokensDetails: modalityCounts,
});
export type GoogleUpstreamUsage = z.infer<typeof googleUpstreamUsage>;

/** A part of an answer; in a stream a new piece, to be put after those before it. */
export const googleUpstreamPart = z.looseObject({
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
export type GoogleUpstreamPart = z.infer<typeof googleUpstreamPart>;

/** Where an answer comes from. The indexes of a segment count bytes of UTF-8. */
export const googleGrounding = z.looseObject({
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
export type GoogleGrounding = z.infer<typeof googleGrounding>;

const likely = z.looseObject({ token: optionalText, logProbability: z.number().nullish() });

/** The likelihoods of tokens, one entry of each list a token. */
export const googleLogprobs = z.looseObject({
  chosenCandidates: lenient(z.array(likely)),
  topCandidates: lenient(z.array(z.looseObject({ candidates: lenient(z.array(likely)) }))),
});
export type GoogleLogprobs = z.infer<typeof googleLogprobs>;

/** One of the answers, or more of it. Without a finish reason it goes on. */
export const googleUpstreamCandidate = z.looseObject({
  index: z.number().nullish(),
  content: z.looseObject({ role: optionalText, parts: z.array(googleUpstreamPart).nullish() }).nullish(),
  finishReason: optionalText,
  /** Explains the reason. */
  finishMessage: optionalText,
  groundingMetadata: lenient(googleGrounding),
  logprobsResult: lenient(googleLogprobs),
  safetyRatings: lenient(z.array(z.looseObject({}))),
});
export type GoogleUpstreamCandidate = z.infer<typeof googleUpstreamCandidate>;

/** What an upstream that speaks this format may put into an error. `code` repeats the HTTP status. */
export const googleUpstreamError = z.looseObject({
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
export type GoogleUpstreamError = z.infer<typeof googleUpstreamError>;

/** A whole answer, or a chunk of a stream; with `error`, the end of one that failed. */
export const googleUpstreamAnswer = z.looseObject({
  candidates: z.array(googleUpstreamCandidate).nullish(),
  /** Why nothing is answered; there are no candidates then. */
  promptFeedback: z.looseObject({ blockReason: optionalText, blockReasonMessage: optionalText }).nullish(),
  usageMetadata: googleUpstreamUsage.nullish(),
  modelVersion: optionalText,
  responseId: optionalText,
  error: z.unknown().optional(),
});
export type GoogleUpstreamAnswer = z.infer<typeof googleUpstreamAnswer>;

/** The answer of `:countTokens`. */
export const googleTokenCount = z.looseObject({
  totalTokens: z.number(),
  cachedContentTokenCount: tokenCount,
});
export type GoogleTokenCount = z.infer<typeof googleTokenCount>;
