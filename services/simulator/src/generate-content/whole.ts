import type { GenerateContentAnswerPart } from '@model-gateway/wire';
import {
  type Answer,
  type Call,
  cited,
  type Finish,
  joined,
  type Reply,
  type Step,
  source,
  type Usage,
} from '../responder/answer.ts';
import { isSchema } from '../responder/json-value.ts';
import { type Alternative, likelihood } from '../responder/seeded-random.ts';
import { sign } from './checks.ts';
import { base64Of } from './image.ts';
import type { ParsedGenerate } from './parse.ts';

/** An answer as one GenerateContentResponse. A blocked prompt has no candidates. */
export function whole(parsed: ParsedGenerate, answer: Answer) {
  const stopped = answer.replies.every(({ finish }) => finish === 'blocked');
  return {
    ...(stopped ? blocked : { candidates: answer.replies.map((reply, at) => candidate(parsed, reply, at)) }),
    usageMetadata: generateUsage(answer.usage),
    ...headOf(parsed, answer),
  };
}

/** The fields that a whole answer and every chunk of a streamed one have in common. */
export function headOf({ prompt: { model } }: ParsedGenerate, { id }: Answer) {
  return { modelVersion: model, responseId: id };
}

function candidate(parsed: ParsedGenerate, reply: Reply, index: number) {
  const parts = partsOf(reply, parsed);
  const tokens = reply.steps.flatMap(step => (step.kind === 'text' ? [step.text] : []));
  return {
    // Proto JSON omits 0.
    ...(index > 0 && { index }),
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
    ...(refusal && {
      finishMessage: refusal,
      safetyRatings: [{ ...rating, probability: 'HIGH', blocked: true }],
    }),
    ...groundingOf(reply, parsed),
  };
}

const rating = { category: 'HARM_CATEGORY_DANGEROUS_CONTENT' };

/** The answer to a blocked prompt. */
export const blocked = {
  promptFeedback: {
    blockReason: 'PROHIBITED_CONTENT',
    safetyRatings: [{ ...rating, probability: 'HIGH', blocked: true }],
  },
};

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
      chosenCandidates: all.map(shown),
      ...(top > 0 && { topCandidates: all.map(one => ({ candidates: one.top.map(shown) })) }),
    },
  };
}

function shown({ token, logprob }: Alternative) {
  return { token, logProbability: logprob };
}

function partsOf(whole: Reply, parsed: ParsedGenerate): GenerateContentAnswerPart[] {
  const { steps } = whole;
  const { prompt, showsThoughts } = parsed;
  const reply = showsThoughts ? joined(steps, 'reasoning') : '';
  const text = hasWords(parsed) ? joined(steps, 'text') : '';
  const calls = steps.flatMap(step => (step.kind === 'call' ? [step.call] : []));
  return [
    ...(reply ? [{ text: reply, thought: true as const }] : []),
    ...(text ? [{ text, ...(prompt.effort && { thoughtSignature: sign() }) }] : []),
    ...imagePart(whole, parsed),
    ...calls.flatMap(call => callPart(call, steps) ?? []),
  ];
}

/** False if the answer is only an image. */
export function hasWords({ image }: ParsedGenerate): boolean {
  return image?.words ?? true;
}

export function imagePart({ finish }: Reply, { image }: ParsedGenerate): GenerateContentAnswerPart[] {
  if (!image || finish !== 'stop') return [];
  return [{ inlineData: { mimeType: 'image/png', data: base64Of(image) } }];
}

/** A call. The first of an answer is signed; one that was cut short is left out. */
export function callPart(call: Call, steps: readonly Step[]): GenerateContentAnswerPart | null {
  let input = '';
  for (const step of steps) if (step.kind === 'input' && step.call === call) input += step.text;
  const args = readArgs(input);
  if (!args) return null;
  const functionCall = { id: `call_${call.id}`, name: call.name, args };
  return { functionCall, ...(call.index === 0 && { thoughtSignature: sign(functionCall) }) };
}

function readArgs(input: string): Record<string, unknown> | null {
  try {
    const args: unknown = JSON.parse(input);
    return isSchema(args) ? args : null;
  } catch {
    return null;
  }
}

/** Usage of generate content: prompt tokens include cached ones, candidates exclude thoughts. */
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

/** The answer to a count of tokens. */
export function tokenCount(tokens: number) {
  return { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] };
}
