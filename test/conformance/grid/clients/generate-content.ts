import { type Ask, type Choice, type Content, callId, callsBefore, type Tool, type Turn } from '../ask.ts';
import { joined, nothing, type Reading } from '../got.ts';
import { exactly, type Json, said } from '../json.ts';
import type { Client } from './client.ts';

export const generateContent: Client = { request, assemble, read };

function request(ask: Ask, model: string, stream: boolean) {
  const { output, logprobs } = ask;
  const config = said({
    maxOutputTokens: ask.maxTokens,
    stopSequences: ask.stop,
    temperature: ask.temperature,
    topP: ask.topP,
    topK: ask.topK,
    seed: ask.seed,
    presencePenalty: ask.presencePenalty,
    frequencyPenalty: ask.frequencyPenalty,
    responseLogprobs: logprobs && true,
    logprobs,
    candidateCount: ask.answers,
    responseMimeType: output && 'application/json',
    responseJsonSchema: output && output !== 'json' ? output : undefined,
    thinkingConfig: thinking(ask),
  });
  const body = said({
    systemInstruction: ask.system === undefined ? undefined : { parts: [{ text: ask.system }] },
    contents: ask.turns.map(content),
    tools: tools(ask),
    toolConfig: ask.choice && { functionCallingConfig: choice(ask.choice) },
    generationConfig: config,
    serviceTier: ask.tier && (ask.tier === 'default' ? 'standard' : ask.tier),
  });
  const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return { path: `/v1beta/models/${model}:${method}`, body };
}

function thinking({ effort, budget }: Ask): Json {
  if (budget !== undefined) return { thinkingBudget: budget, includeThoughts: true };
  if (effort === 'none') return { thinkingBudget: 0 };
  return effort && { thinkingLevel: effort.toUpperCase(), includeThoughts: true };
}

function tools({ tools, search }: Ask): Json {
  if (!tools) return search && [{ googleSearch: {} }];
  const declared = ({ parameters, ...tool }: Tool) => ({ ...tool, parametersJsonSchema: parameters });
  return [{ functionDeclarations: tools.map(declared) }];
}

function content(turn: Turn, at: number, turns: Turn[]): Json {
  switch (turn.role) {
    case 'user':
      return { role: 'user', parts: turn.content.map(part) };
    case 'assistant':
      return {
        role: 'model',
        parts: [
          ...(turn.reasoning ? [{ text: turn.reasoning, thought: true }] : []),
          ...(turn.text ? [{ text: turn.text }] : []),
          ...(turn.calls ?? []).map((call, place) => ({
            functionCall: { id: callId(place), ...call },
            // The stand-in signature that clients send for calls of other vendors.
            ...(place === 0 && { thoughtSignature: 'skip_thought_signature_validator' }),
          })),
        ],
      };
    case 'tool':
      return {
        role: 'user',
        parts: turn.results.map(({ call, text, failed, image }) => ({
          functionResponse: {
            id: callsBefore(turns, at)[call]?.id,
            name: callsBefore(turns, at)[call]?.name,
            response: failed ? { error: text } : { output: text },
            ...(image && { parts: [part(image)] }),
          },
        })),
      };
    case 'own':
      return { role: 'model', parts: turn.entries };
  }
}

function part(content: Content): Json {
  if ('text' in content) return { text: content.text };
  if ('imageUrl' in content) return { fileData: { fileUri: content.imageUrl, mimeType: 'image/png' } };
  const data = 'image' in content ? content.image : content.document;
  const displayName = 'name' in content ? { displayName: content.name } : {};
  return { inlineData: { mimeType: content.mediaType, data, ...displayName } };
}

function choice(choice: Choice): Json {
  if (typeof choice === 'string') return { mode: modes[choice] };
  return { mode: 'ANY', allowedFunctionNames: 'tool' in choice ? [choice.tool] : choice.allowed };
}

const modes = { auto: 'AUTO', required: 'ANY', none: 'NONE' } as const;

/** Reads streams as strictly as the vendor's SDKs, of which one accepts only data lines. */
function assemble(stream: string): Json {
  const whole: Json = {};
  for (const frame of stream.split(/\r?\n\r?\n/)) {
    if (frame === '') continue;
    if (!frame.startsWith('data: {') || frame.includes('\n')) throw new Error(`no frame: ${frame}`);
    if (whole.error) throw new Error(`more after the end: ${frame}`);
    add(whole, JSON.parse(frame.slice('data: '.length)));
  }
  if (!/\n\r?\n$/.test(stream)) throw new Error('the last frame is not closed');
  return whole;
}

function add(whole: Json, { candidates = [], ...chunk }: Json): void {
  Object.assign(whole, chunk);
  for (const { index = 0, content, ...candidate } of candidates) {
    whole.candidates ??= [];
    whole.candidates[index] ??= { content: { role: 'model', parts: [] } };
    const known = whole.candidates[index];
    Object.assign(known, candidate);
    known.content.parts.push(...(content?.parts ?? []));
  }
}

function read({ error, candidates = [], usageMetadata: usage, promptFeedback }: Json): Reading {
  const [{ content, finishReason, finishMessage, groundingMetadata } = {} as Json] = candidates;
  const parts: Json[] = content?.parts ?? [];
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
  const blocked = promptFeedback?.blockReason !== undefined;
  return {
    ...nothing,
    text: joined(
      parts.filter(({ thought }) => !thought),
      'text',
    ),
    reasoning: joined(
      parts.filter(({ thought }) => thought),
      'text',
    ),
    refusal: finishReason === 'SAFETY' ? (finishMessage ?? '') : '',
    calls: calls.map(({ id, name, args = {} }) => ({ id, name, args })),
    finish: blocked ? 'refusal' : finishOf(finishReason, calls.length > 0),
    usage: usage ? usageOf(usage) : null,
    cited: (groundingMetadata?.groundingChunks ?? []).map(({ web }: Json) => web.uri),
    answers: candidates.length,
    own: together(parts),
    ...(error && { error: errorOf(error) }),
  };
}

function finishOf(reason: string | undefined, calls: boolean): Reading['finish'] {
  if (reason === 'STOP') return calls ? 'calls' : 'stop';
  if (reason === 'MAX_TOKENS') return 'length';
  return reason === undefined ? null : 'refusal';
}

/** Joins neighbouring parts of one kind, as clients do; a part with a signature stays separate. */
function together(parts: Json[]): Json[] {
  const kept: Json[] = [];
  for (const { text, ...part } of parts) {
    const last = kept.at(-1);
    const plain = text !== undefined && !part.thoughtSignature && last?.text !== undefined;
    if (plain && !last.thoughtSignature && !last.thought === !part.thought) last.text += text;
    else kept.push(text === undefined ? part : { text, ...part });
  }
  return kept;
}

function usageOf(usage: Json) {
  const { promptTokenCount: prompt = 0, candidatesTokenCount: candidates = 0 } = usage;
  const { thoughtsTokenCount: reasoning = 0, toolUsePromptTokenCount: tools = 0 } = usage;
  return {
    input: prompt + tools,
    cached: usage.cachedContentTokenCount ?? 0,
    output: candidates + reasoning,
    reasoning,
  };
}

function errorOf({ details = [], ...error }: Json) {
  const { status, message } = exactly(error, 'code', 'message', 'status');
  const [violation] = details.flatMap(({ fieldViolations = [] }: Json) => fieldViolations);
  return { name: status, message, ...(violation && { param: violation.field }) };
}
