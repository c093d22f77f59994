import type {
  AssistantPart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import { invalid } from './check.ts';
import { mediaPart, modelParts, userPart } from './parse-part.ts';
import type {
  GenerateContentContent,
  GenerateContentFunctionResponse,
  GenerateContentPart,
} from './parts.ts';
import type { GenerateContentTranslatable } from './request.ts';

/** A part with its position in the body. */
export interface Placed {
  part: GenerateContentPart;
  path: string;
}

/**
 * Parses a conversation, instructions first. Consecutive contents of one side become one message: clients
 * send a stream back as one content per chunk.
 * @throws GatewayError of kind `invalid-request` for a result without a call, or a part of the wrong side
 */
export function conversation({
  systemInstruction,
  contents,
}: Pick<GenerateContentTranslatable, 'systemInstruction' | 'contents'>): Message[] {
  const instructions = (systemInstruction?.parts ?? []).filter(({ text }) => text !== '');
  const system = instructions.map(({ text }) => ({ type: 'text' as const, text }));
  let open = new OpenCalls([]);
  const turns = runsOf(contents).flatMap(({ model, parts }): Message[] => {
    if (!model) return userTurns(parts, open);
    const content = modelTurn(parts);
    open = new OpenCalls(content.filter(part => part.type === 'tool-call'));
    return content.length > 0 ? [{ role: 'assistant', content }] : [];
  });
  return [...(system.length > 0 ? [{ role: 'system' as const, content: system }] : []), ...turns];
}

interface Run {
  model: boolean;
  parts: Placed[];
}

/** Groups consecutive contents of the same side. */
function runsOf(contents: readonly GenerateContentContent[]): Run[] {
  const runs: Run[] = [];
  for (const [i, { role, parts }] of contents.entries()) {
    const model = role === 'model';
    const placed = parts.map((part, j) => ({ part, path: `contents[${i}].parts[${j}]` }));
    const last = runs.at(-1);
    if (last?.model === model) last.parts.push(...placed);
    else runs.push({ model, parts: placed });
  }
  return runs;
}

function modelTurn(parts: readonly Placed[]): AssistantPart[] {
  const result = parts.find(({ part }) => part.functionResponse);
  if (result)
    throw invalid(`${result.path}.functionResponse`, 'a function response turn comes from the user');
  return modelParts(parts);
}

/** Parses a user turn. Function results become a message before the other parts. */
function userTurns(parts: readonly Placed[], open: OpenCalls): Message[] {
  const results: ToolResultPart[] = [];
  const other: UserPart[] = [];
  for (const placed of parts) {
    if (placed.part.functionCall)
      throw invalid(`${placed.path}.functionCall`, 'a function call turn comes from the model');
    if (placed.part.functionResponse)
      results.push(toolResult(placed.part.functionResponse, placed.path, open));
    else other.push(userPart(placed));
  }
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
    ...(other.length > 0 ? [{ role: 'user' as const, content: other }] : []),
  ];
}

/** The calls of the model's last turn without a result. */
export class OpenCalls {
  /** The calls by id and by name, the first one last. */
  readonly #byId: Map<string, ToolCallPart[]>;
  readonly #byName: Map<string, ToolCallPart[]>;
  readonly #answered = new Set<ToolCallPart>();

  constructor(calls: readonly ToolCallPart[]) {
    const last = calls.toReversed();
    this.#byId = Map.groupBy(last, ({ id }) => id);
    this.#byName = Map.groupBy(last, ({ name }) => name);
  }

  /**
   * Removes the call with the id, else the first one with the name. Returns its id, or undefined if there is
   * none.
   */
  answer(id: string | null | undefined, name: string): string | undefined {
    const call = (id && this.#next(this.#byId.get(id))) || this.#next(this.#byName.get(name));
    if (call) this.#answered.add(call);
    return call?.id;
  }

  #next(calls: ToolCallPart[] = []): ToolCallPart | undefined {
    let call = calls.pop();
    while (call && this.#answered.has(call)) call = calls.pop();
    return call;
  }
}

/** Parses a function result. `path` is the part's position. @throws GatewayError if it has no open call */
export function toolResult(
  result: GenerateContentFunctionResponse,
  path: string,
  open: OpenCalls,
): ToolResultPart {
  const { id, name, parts } = result;
  const callId = open.answer(id, name);
  if (callId === undefined) {
    const which = id ? `'${name}' with the id '${id}'` : `'${name}'`;
    throw invalid(
      `${path}.functionResponse`,
      `the turn before has no function call ${which} that still needs a response`,
    );
  }
  const { texts, error } = readResponse(result);
  const media = (parts ?? []).map(
    (part, i): UserPart => mediaPart(part, `${path}.functionResponse.parts[${i}]`),
  );
  return { type: 'tool-result', callId, content: [...texts, ...media], ...(error && { error }) };
}

/** The keys that by convention hold the whole result. */
const resultKeys = ['output', 'result', 'content'];

/**
 * Reads a function's result: the value of a conventional key if it is the only one, else the whole object.
 */
function readResponse({ name, response }: GenerateContentFunctionResponse): {
  texts: TextPart[];
  error: boolean;
} {
  const { name: repeated, ...rest } = response ?? {};
  // Some clients repeat the function's name beside the result.
  const fields = repeated === name ? rest : (response ?? {});
  const [key = '', ...more] = Object.keys(fields);
  if (more.length === 0 && key === 'error') return { texts: textParts(fields.error), error: true };
  if (more.length === 0 && resultKeys.includes(key)) return { texts: textParts(fields[key]), error: false };
  return { texts: key === '' ? [] : textParts(fields), error: false };
}

function textParts(value: unknown): TextPart[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text ? [{ type: 'text', text }] : [];
}
