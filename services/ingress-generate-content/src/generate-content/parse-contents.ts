import type {
  AssistantPart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import type {
  GenerateContentContent,
  GenerateContentFunctionResponse,
  GenerateContentPart,
  GenerateContentTranslatable,
} from '@model-gateway/wire';
import { invalid } from '../check.ts';
import { mediaPart, modelParts, userPart } from './parse-part.ts';

/** A part, and where it is in the body. */
export interface Placed {
  part: GenerateContentPart;
  path: string;
}

/**
 * The turns of a conversation, instructions first. What one side says in several contents is one message: streams come
 * back as a content for each of their chunks.
 * @throws GatewayError of kind `invalid-request` for a result without its call, or a part on the wrong side
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

/** The parts that one side says before the other does. */
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

/** The results of functions, wherever they are, come before what the user says. */
function userTurns(parts: readonly Placed[], open: OpenCalls): Message[] {
  const results: ToolResultPart[] = [];
  const said: UserPart[] = [];
  for (const placed of parts) {
    if (placed.part.functionCall)
      throw invalid(`${placed.path}.functionCall`, 'a function call turn comes from the model');
    if (placed.part.functionResponse)
      results.push(toolResult(placed.part.functionResponse, placed.path, open));
    else said.push(userPart(placed));
  }
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
    ...(said.length > 0 ? [{ role: 'user' as const, content: said }] : []),
  ];
}

/** The calls of the model's last turn that wait for their results. */
export class OpenCalls {
  readonly #waiting: ToolCallPart[];

  constructor(calls: readonly ToolCallPart[]) {
    this.#waiting = [...calls];
  }

  /** The id of the call that a result answers: that with its id, else the first of its name; undefined if none waits. */
  answer(id: string | null | undefined, name: string): string | undefined {
    const byId = id ? this.#waiting.findIndex(call => call.id === id) : -1;
    const at = byId >= 0 ? byId : this.#waiting.findIndex(call => call.name === name);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0]?.id;
  }
}

/** `path` is that of the part. @throws GatewayError if no call waits for the result */
export function toolResult(
  given: GenerateContentFunctionResponse,
  path: string,
  open: OpenCalls,
): ToolResultPart {
  const { id, name, parts } = given;
  const callId = open.answer(id, name);
  if (callId === undefined) {
    const which = id ? `'${name}' with the id '${id}'` : `'${name}'`;
    throw invalid(
      `${path}.functionResponse`,
      `no function call ${which} in the turn before it waits for a response`,
    );
  }
  const { said, error } = readResponse(given);
  const shown = (parts ?? []).map(
    (part, i): UserPart => mediaPart(part, `${path}.functionResponse.parts[${i}]`),
  );
  return { type: 'tool-result', callId, content: [...said, ...shown], ...(error && { error }) };
}

/** Keys that hold all of a result, by what clients are used to. */
const whole = ['output', 'result', 'content'];

/** What a function said: under the keys that have a meaning, else all of the object. */
function readResponse({ name, response }: GenerateContentFunctionResponse): {
  said: TextPart[];
  error: boolean;
} {
  const { name: repeated, ...rest } = response ?? {};
  // Some clients repeat the function's name beside the result.
  const fields = repeated === name ? rest : (response ?? {});
  const [key = '', ...more] = Object.keys(fields);
  if (more.length === 0 && key === 'error') return { said: texts(fields.error), error: true };
  if (more.length === 0 && whole.includes(key)) return { said: texts(fields[key]), error: false };
  return { said: key === '' ? [] : texts(fields), error: false };
}

function texts(value: unknown): TextPart[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text ? [{ type: 'text', text }] : [];
}
