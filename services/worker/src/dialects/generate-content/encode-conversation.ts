import {
  type Message,
  parseExact,
  type ToolResultPart,
  type UserPart,
  type WireFormat,
} from '@model-gateway/canonical';
import { opaqueText } from '../opaque-text.ts';
import { checkPairing } from '../pairing.ts';
import { type Content, type Part, refuse } from './content.ts';
import { isShown, mediaPart, modelParts, textParts, userParts } from './encode-parts.ts';
import type { ModelTraits } from './models.ts';
import { functionName, givenId } from './names.ts';
import { standInForSignatures } from './sanitize-history.ts';

export interface Conversation {
  system: Part[];
  contents: Content[];
}

/**
 * A conversation as contents that alternate, its leading instructions apart. Later ones stay where they are, as text of
 * the user: at the top they would mean something else.
 */
export function conversation(
  messages: readonly Message[],
  capabilities: ModelTraits,
  format: WireFormat,
): Conversation {
  // For the client, a last turn of the model is one to go on with; here the model would begin another.
  if (format === 'messages' && messages.at(-1)?.role === 'assistant')
    refuse('contents', 'This model cannot go on with a last message of the assistant.');
  checkPairing([...messages]);
  const leading = messages.findIndex(({ role }) => role !== 'system');
  const split = leading < 0 ? messages.length : leading;
  const system = messages.slice(0, split).flatMap(m => (m.role === 'system' ? textParts(m.content) : []));
  const contents = fromUser(contentsOf(messages.slice(split), capabilities), format);
  if (capabilities.signed) standInForSignatures(contents);
  return { system, contents };
}

/**
 * Begins with the user, as the vendor wants. Clients of most formats may begin with anything, and cannot be told to.
 * @throws GatewayError for those that can
 */
function fromUser(contents: Content[], format: WireFormat): Content[] {
  const [first] = contents;
  if (first?.role === 'user' || (first && format === 'generate-content')) return contents;
  if (format === 'messages') return refuse('contents', 'The first message must be of the user.');
  return [{ role: 'user', parts: [{ text: '.' }] }, ...contents];
}

/** All that one side says before the other does is one content, but for results, which the vendor counts and wants alone. */
function contentsOf(messages: readonly Message[], { resultMedia }: ModelTraits): Content[] {
  const contents: Content[] = [];
  let names: CallNames = new Map();
  for (const run of runsOf(messages)) {
    const spoken = run.flatMap(message => (message.role === 'assistant' ? message.content : []));
    const results = inOrder(
      run.flatMap(message => (message.role === 'tool' ? message.content : [])),
      names,
    );
    contents.push(
      { role: 'model', parts: modelParts(spoken) },
      { role: 'user', parts: results.map(result => resultPart(result, names, resultMedia)) },
      { role: 'user', parts: [...(resultMedia ? [] : announced(results)), ...run.flatMap(said)] },
    );
    if (spoken.length > 0) names = namesOf(spoken);
  }
  return contents.filter(({ parts }) => parts.length > 0).reduce(joined, []);
}

/** Messages of the model, and those between them. */
function runsOf(messages: readonly Message[]): Message[][] {
  const runs: Message[][] = [];
  for (const message of messages) {
    const last = runs.at(-1);
    const same = last && (last[0]?.role === 'assistant') === (message.role === 'assistant');
    if (same) last.push(message);
    else runs.push([message]);
  }
  return runs;
}

function namesOf(spoken: readonly { type: string; id?: string; name?: string }[]): CallNames {
  return new Map(
    spoken.flatMap(({ type, id, name }) => (type === 'tool-call' && id && name ? [[id, name]] : [])),
  );
}

/** In the order of their calls: without ids the vendor has nothing else to tell results of one function apart by. */
function inOrder(results: ToolResultPart[], names: CallNames): ToolResultPart[] {
  const place = new Map([...names.keys()].map((id, at) => [id, at]));
  return results.sort((one, other) => (place.get(one.callId) ?? 0) - (place.get(other.callId) ?? 0));
}

function said(message: Message): Part[] {
  if (message.role === 'system') return textParts(message.content);
  if (message.role !== 'user') return [];
  return heard(message.content);
}

function heard(content: readonly UserPart[]): Part[] {
  const parts = userParts(content);
  return parts.length > 0 ? parts : refuse('contents', 'A user message must not be empty.');
}

/** Media that older models take only after the results, with the names of their calls. */
function announced(results: readonly ToolResultPart[]): Part[] {
  return results.flatMap(result => {
    const shown = shownParts(result);
    return shown.length > 0 ? [{ text: `Shown by tool call ${result.callId}:` }, ...shown] : [];
  });
}

/** Contents of the model that were parted by nothing are one. */
function joined(contents: Content[], next: Content): Content[] {
  const last = contents.at(-1);
  if (last?.role === 'model' && next.role === 'model') last.parts.push(...next.parts);
  else contents.push(next);
  return contents;
}

/** Names of functions by the ids of their calls. */
export type CallNames = ReadonlyMap<string, string>;

/** A function's result. With `media`, what it shows is within; else its text says that it follows. */
export function resultPart(result: ToolResultPart, names: CallNames, media: boolean): Part {
  const { callId } = result;
  const shown = media ? shownParts(result) : [];
  return {
    functionResponse: {
      ...givenId(callId),
      name: functionName(names.get(callId) ?? ''),
      response: response(result, media),
      ...(shown.length > 0 && { parts: shown }),
    },
  };
}

/** What a result shows rather than says. */
export function shownParts({ content }: ToolResultPart): Part[] {
  return content.flatMap(part => (part.type === 'media' && isShown(part) ? [mediaPart(part)] : []));
}

/** An object is given as it is; any other text has a key of its own. */
function response(result: ToolResultPart, media: boolean): Record<string, unknown> {
  const { content, error } = result;
  const text = texts(result, media).join('\n');
  if (error) return { error: text };
  const plain = content.length === 1 && content[0]?.type === 'text';
  return (plain && objectIn(text)) || { output: text };
}

function texts({ content }: ToolResultPart, media: boolean): string[] {
  return content.flatMap(part => {
    if (part.type === 'text') return [part.text];
    if (part.type === 'opaque') return [opaqueText(part)];
    if (!isShown(part)) return [mediaPart(part).text ?? ''];
    return media ? [] : [`(${part.kind}: see the content that follows)`];
  });
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return parseExact(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
