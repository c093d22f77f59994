import type { GenerateContentAnswerPart } from '@model-gateway/formats';
import { colourOf, png } from '../images/png.ts';
import type { Answer, Call, Finish, Reply, Usage } from '../responder/answer.ts';
import { callsOf, cited, joined, parsedObject, source } from '../responder/answer.ts';
import { type Alternative, likelihood } from '../responder/seeded-random.ts';
import { sign } from './checks.ts';
import type { ParsedGenerate } from './parse.ts';

/** An answer as one GenerateContentResponse. A blocked prompt has no candidates. */
export function whole(parsed: ParsedGenerate, answer: Answer) {
  const candidates = answer.replies.map((reply, at) => candidate(parsed, reply, at));
  return {
    ...(isBlocked(answer) ? blocked : { candidates }),
    usageMetadata: generateUsage(answer.usage),
    ...headOf(parsed, answer),
  };
}

export function isBlocked({ replies }: Answer): boolean {
  return replies.every(({ finish }) => finish === 'blocked');
}

/** Proto JSON omits 0. */
export function indexed(index: number) {
  return index > 0 ? { index } : {};
}

/** The fields that a whole answer and every chunk of a stream have in common. */
export function headOf({ prompt: { model } }: ParsedGenerate, { id }: Answer) {
  return { modelVersion: model, responseId: id };
}

function candidate(parsed: ParsedGenerate, reply: Reply, index: number) {
  const parts = partsOf(reply, parsed);
  const tokens = reply.steps.flatMap(step => (step.kind === 'text' ? [step.text] : []));
  return {
    ...indexed(index),
    ...(reply.finish !== 'refusal' && { content: { role: 'model', ...(parts.length > 0 && { parts }) } }),
    ...endOf(reply, parsed),
    ...(parsed.topLogprobs !== null && tokens.length > 0 && logprobsOf(tokens, 0, parsed.topLogprobs)),
  };
}

const finishReasons = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  calls: 'STOP',
  refusal: 'SAFETY',
  blocked: 'SAFETY',
} as const satisfies Record<Finish, string>;

/** The finish reason and the grounding of a candidate. */
export function endOf(reply: Reply, parsed: ParsedGenerate) {
  const refusal = reply.finish === 'refusal' ? joined(reply.steps, 'refusal') : '';
  return {
    finishReason: finishReasons[reply.finish],
    ...(refusal && { finishMessage: refusal, safetyRatings }),
    ...groundingOf(reply, parsed),
  };
}

const safetyRatings = [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }];

/** The answer to a blocked prompt. */
export const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', safetyRatings } };

function groundingOf(reply: Reply, { prompt, searches }: ParsedGenerate) {
  const text = cited(reply, searches);
  if (text === null) return {};
  const segment = { endIndex: Buffer.byteLength(text), text };
  return {
    groundingMetadata: {
      webSearchQueries: [prompt.question.slice(0, 100).toWellFormed()],
      groundingChunks: [{ web: { uri: source.url, title: source.title } }],
      groundingSupports: [{ segment, groundingChunkIndices: [0] }],
      searchEntryPoint: { renderedContent: '<div>The gateway</div>' },
    },
  };
}

/** The logprobs of tokens, of which the first is at `place`. */
export function logprobsOf(tokens: readonly string[], place: number, top: number) {
  const all = tokens.map((token, at) => likelihood(token, place + at, top));
  return {
    logprobsResult: {
      chosenCandidates: all.map(candidateToken),
      ...(top > 0 && { topCandidates: all.map(one => ({ candidates: one.top.map(candidateToken) })) }),
    },
  };
}

function candidateToken({ token, logprob }: Alternative) {
  return { token, logProbability: logprob };
}

function partsOf(reply: Reply, parsed: ParsedGenerate): GenerateContentAnswerPart[] {
  const reasoning = parsed.showsThoughts ? joined(reply.steps, 'reasoning') : '';
  const text = hasText(parsed) ? joined(reply.steps, 'text') : '';
  return [
    ...(reasoning ? [{ text: reasoning, thought: true as const }] : []),
    ...(text ? [{ text, ...(parsed.prompt.effort && { thoughtSignature: sign() }) }] : []),
    ...imagePart(reply, parsed),
    ...callsOf(reply).flatMap(({ call, text }) => callPart(call, text) ?? []),
  ];
}

/** False if the answer is only an image. */
export function hasText({ image }: ParsedGenerate): boolean {
  return image?.withText ?? true;
}

export function imagePart({ finish }: Reply, { image }: ParsedGenerate): GenerateContentAnswerPart[] {
  if (!image || finish !== 'stop') return [];
  return [
    { inlineData: { mimeType: 'image/png', data: png(image, colourOf(image.prompt)).toString('base64') } },
  ];
}

/** A call. The first call of an answer is signed; a call that was cut off is left out. */
export function callPart({ id, name, index }: Call, input: string): GenerateContentAnswerPart | null {
  const args = parsedObject(input);
  if (!args) return null;
  const functionCall = { id: `call_${id}`, name, args };
  return { functionCall, ...(index === 0 && { thoughtSignature: sign(functionCall) }) };
}

/** Usage of generate content: prompt tokens include cached ones, candidate tokens exclude reasoning. */
export function generateUsage({ input, cachedInput, audioInput, output, reasoning, imageOutput }: Usage) {
  const text = input - audioInput;
  return {
    promptTokenCount: input,
    ...(cachedInput > 0 && { cachedContentTokenCount: cachedInput }),
    ...(output > reasoning && { candidatesTokenCount: output - reasoning }),
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    totalTokenCount: input + output,
    ...(imageOutput > 0 && {
      candidatesTokensDetails: [
        { modality: 'TEXT', tokenCount: output - reasoning - imageOutput },
        { modality: 'IMAGE', tokenCount: imageOutput },
      ],
    }),
    promptTokensDetails: [
      ...(text > 0 ? [{ modality: 'TEXT', tokenCount: text }] : []),
      ...(audioInput > 0 ? [{ modality: 'AUDIO', tokenCount: audioInput }] : []),
    ],
  };
}

export function tokenCount(tokens: number) {
  return { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] };
}
