import type { Choice, Content, Turn } from '../ask.ts';
import { type Json, said } from '../json.ts';
import { Pairing } from './parts.ts';
import type { Upstream } from './upstream.ts';

export const generateContent: Upstream = { model: behaviour => `${behaviour}-gemini-3-flash`, read };

function read(body: Json) {
  const { generationConfig: config = {}, systemInstruction, toolConfig } = body;
  const tools = (body.tools ?? []).flatMap(({ functionDeclarations }: Json) => functionDeclarations ?? []);
  return said({
    system: systemInstruction?.parts.map(({ text }: Json) => text).join('\n'),
    turns: turns(body.contents),
    tools:
      tools.length > 0
        ? tools.map(({ parametersJsonSchema, ...tool }: Json) => ({
            ...tool,
            parameters: parametersJsonSchema,
          }))
        : undefined,
    search: body.tools?.some(({ googleSearch }: Json) => googleSearch) ? (true as const) : undefined,
    choice: toolConfig && choice(toolConfig.functionCallingConfig),
    output: config.responseJsonSchema ?? (config.responseMimeType ? ('json' as const) : undefined),
    budget: config.thinkingConfig?.thinkingBudget || undefined,
    effort: effort(config.thinkingConfig ?? {}),
    maxTokens: config.maxOutputTokens,
    stop: config.stopSequences,
    temperature: config.temperature,
    topP: config.topP,
    topK: config.topK,
    seed: config.seed,
    presencePenalty: config.presencePenalty,
    frequencyPenalty: config.frequencyPenalty,
    logprobs: config.responseLogprobs ? (config.logprobs ?? 0) : undefined,
    answers: config.candidateCount,
    tier: body.serviceTier === 'standard' ? 'default' : body.serviceTier,
  });
}

function turns(contents: Json[]): Turn[] {
  const pairing = new Pairing();
  let names: string[] = [];
  return contents.flatMap(({ role, parts }): Turn[] => {
    if (role === 'model') {
      names = parts.flatMap(({ functionCall }: Json) => functionCall?.name ?? []);
      return [assistant(parts, pairing)];
    }
    const results = parts.flatMap(({ functionResponse }: Json) => functionResponse ?? []);
    const shown = parts.filter(({ functionResponse }: Json) => !functionResponse);
    return [
      ...(results.length > 0
        ? [{ role: 'tool' as const, results: results.map(result(pairing, names)) }]
        : []),
      ...(shown.length > 0 ? [{ role: 'user' as const, content: shown.map(content) }] : []),
    ];
  });
}

/** The vendor pairs results by id or else by position, and requires the function's name in each. */
function result(pairing: Pairing, names: string[]) {
  return ({ id, name, response: { output, error }, parts = [] }: Json, place: number) => {
    if (!names.includes(name)) throw new Error(`a result of a function that was not called: ${name}`);
    const [image] = parts.map(content);
    return {
      ...pairing.result(id ?? `#${place}`, error ?? output, error !== undefined),
      ...(image && { image }),
    };
  };
}

function assistant(parts: Json[], pairing: Pairing): Turn {
  const calls = parts
    .flatMap(({ functionCall }) => functionCall ?? [])
    .map(({ id, name, args = {} }, place) => ({ id: id ?? `#${place}`, call: { name, args } }));
  const text = (thought: boolean) =>
    parts
      .filter(part => !part.thought !== thought)
      .map(part => part.text ?? '')
      .join('');
  const own = ({ thoughtSignature: proof }: Json) => proof && proof !== 'skip_thought_signature_validator';
  return said({
    role: 'assistant' as const,
    reasoning: text(true) || undefined,
    signed: parts.some(own) ? (true as const) : undefined,
    text: text(false) || undefined,
    calls: calls.length > 0 ? pairing.calls(calls) : undefined,
  });
}

function content({ text, inlineData, fileData }: Json): Content {
  if (text !== undefined) return { text };
  if (fileData) return { imageUrl: fileData.fileUri };
  const { mimeType: mediaType, data, displayName } = inlineData;
  if (mediaType.startsWith('image/')) return { image: data, mediaType };
  return { document: data, mediaType, ...(displayName !== undefined && { name: displayName }) };
}

function effort({ thinkingBudget, includeThoughts, thinkingLevel }: Json): string | undefined {
  if (thinkingBudget === 0) return 'none';
  // Where it is absent, the level is the model's own.
  return includeThoughts === undefined ? undefined : thinkingLevel?.toLowerCase();
}

function choice({ mode, allowedFunctionNames: names }: Json): Choice {
  if (names) return names.length === 1 ? { tool: names[0] } : { allowed: names };
  return mode === 'ANY' ? 'required' : mode.toLowerCase();
}
