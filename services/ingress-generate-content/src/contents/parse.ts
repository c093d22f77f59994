import type { AssistantPart, Message, ToolResultPart, UserPart } from '@model-gateway/canonical';
import type { GoogleContent, GooglePart, GoogleTranslatable } from '@model-gateway/wire';
import { invalid } from '../check.ts';
import { OpenCalls } from '../open-calls.ts';
import { modelParts, userPart } from '../part/parse.ts';
import { toolResult } from '../results/parse.ts';

/** A part, and where it is in the body. */
export interface Placed {
  part: GooglePart;
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
}: Pick<GoogleTranslatable, 'systemInstruction' | 'contents'>): Message[] {
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
function runsOf(contents: readonly GoogleContent[]): Run[] {
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
