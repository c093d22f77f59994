import type { GenerateRequest, Message, ToolResultPart } from '@model-gateway/canonical';
import { parseExact } from '@model-gateway/json';
import { opaqueText } from '../upstream/request-body.ts';
import { conversationOf, splitConversation } from '../upstream/turns.ts';
import { refuse } from '../upstream/unsupported.ts';
import { isSentAsMedia, mediaPart, modelParts, textParts, userParts } from './encode-parts.ts';
import type { ModelTraits } from './models.ts';
import { functionName, idField } from './names.ts';
import type {
  GenerateContentContentParam,
  GenerateContentMediaParam,
  GenerateContentPartParam,
} from './parts.ts';
import { standIn } from './sanitize-history.ts';

export interface Conversation {
  system: { text: string }[];
  contents: GenerateContentContentParam[];
}

/**
 * Writes a conversation as alternating contents, with the leading instructions separate. Later instructions
 * stay in place as user text, because their meaning depends on their position.
 */
export function conversation(request: GenerateRequest, capabilities: ModelTraits): Conversation {
  // This API would start a new turn instead.
  if (request.continuesLastTurn) refuse('messages', 'This model cannot continue a final assistant message.');
  const { instructions, turns } = conversationOf(request);
  const contents = startWithUser(contentsOf(turns, capabilities), request.userFirst);
  if (capabilities.signed) addStandInSignatures(contents);
  return { system: textParts(instructions), contents };
}

/** Writes the turns of a conversation, and separates the leading instructions. */
export function turnsOf(
  messages: readonly Message[],
  capabilities: Pick<ModelTraits, 'resultMedia'>,
): Conversation {
  const { instructions, turns } = splitConversation(messages);
  return { system: textParts(instructions), contents: contentsOf(turns, capabilities) };
}

/**
 * Makes the first turn a user turn, as the vendor requires, by adding a placeholder.
 * @throws GatewayError for clients whose format has the same rule
 */
function startWithUser(
  contents: GenerateContentContentParam[],
  userFirst = false,
): GenerateContentContentParam[] {
  if (contents[0]?.role === 'user') return contents;
  if (userFirst) return refuse('messages', 'The first message must be a user message.');
  return [{ role: 'user', parts: [placeholder] }, ...contents];
}

/**
 * Adds the stand-in to the first call of each turn without signed calls: the vendor signs only the first call
 * and refuses a turn without a signature. Past turns get it too, so that the prompt's prefix stays cached.
 */
function addStandInSignatures(contents: readonly GenerateContentContentParam[]): void {
  for (const { parts } of contents) {
    const calls = parts.filter(({ functionCall }) => functionCall);
    const [first] = calls;
    if (first && !calls.some(({ thoughtSignature }) => thoughtSignature)) first.thoughtSignature = standIn;
  }
}

/** Merges consecutive messages of one side into one content. Results form one alone, as the vendor requires. */
function contentsOf(
  messages: readonly Message[],
  { resultMedia }: Pick<ModelTraits, 'resultMedia'>,
): GenerateContentContentParam[] {
  const contents: GenerateContentContentParam[] = [];
  let names: CallNames = new Map();
  for (const run of runsOf(messages)) {
    const begun = contents.length;
    const modelContent = run.flatMap(message => (message.role === 'assistant' ? message.content : []));
    const results = inOrder(
      run.flatMap(message => (message.role === 'tool' ? message.content : [])),
      names,
    );
    contents.push(
      { role: 'model', parts: modelParts(modelContent) },
      { role: 'user', parts: results.map(result => resultPart(result, names, resultMedia)) },
      { role: 'user', parts: [...(resultMedia ? [] : mediaAfter(results)), ...run.flatMap(userSideParts)] },
    );
    if (modelContent.length > 0) names = namesOf(modelContent);
    const empty = contents.slice(begun).every(({ parts }) => parts.length === 0);
    if (empty && run.some(({ role }) => role === 'user'))
      contents.push({ role: 'user', parts: [placeholder] });
  }
  return contents.filter(({ parts }) => parts.length > 0).reduce(joinModelTurns, []);
}

/** The content of a user turn that has none: the vendor refuses it, and a conversation that does not begin with a user turn. */
const placeholder = { text: '.' };

/** Groups messages into runs of model messages and runs of all others. */
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

function namesOf(content: readonly { type: string; id?: string; name?: string }[]): CallNames {
  return new Map(
    content.flatMap(({ type, id, name }) => (type === 'tool-call' && id && name ? [[id, name]] : [])),
  );
}

/** Sorts results by the order of their calls, the only match between calls and results without ids. */
function inOrder(results: ToolResultPart[], names: CallNames): ToolResultPart[] {
  const place = new Map([...names.keys()].map((id, at) => [id, at]));
  return results.sort((one, other) => (place.get(one.callId) ?? 0) - (place.get(other.callId) ?? 0));
}

function userSideParts(message: Message): GenerateContentPartParam[] {
  if (message.role === 'system') return textParts(message.content);
  return message.role === 'user' ? userParts(message.content) : [];
}

/** Returns the media of results with their call ids. Older models accept media only after the results. */
function mediaAfter(results: readonly ToolResultPart[]): GenerateContentMediaParam[] {
  return results.flatMap(result => {
    const media = mediaParts(result);
    return media.length > 0 ? [{ text: `Shown by tool call ${result.callId}:` }, ...media] : [];
  });
}

/** Reducer that merges adjacent model contents. */
function joinModelTurns(
  contents: GenerateContentContentParam[],
  next: GenerateContentContentParam,
): GenerateContentContentParam[] {
  const last = contents.at(-1);
  if (last?.role === 'model' && next.role === 'model') last.parts.push(...next.parts);
  else contents.push(next);
  return contents;
}

/** Function names by call id. */
export type CallNames = ReadonlyMap<string, string>;

/** Writes a function's result. With `media`, it holds its media; otherwise its text says that they follow. */
export function resultPart(
  result: ToolResultPart,
  names: CallNames,
  media: boolean,
): GenerateContentPartParam {
  const { callId } = result;
  const nested = media ? mediaParts(result) : [];
  return {
    functionResponse: {
      ...idField(callId),
      name: functionName(names.get(callId) ?? ''),
      response: response(result, media),
      parts: nested.length > 0 ? nested : undefined,
    },
  };
}

/** Returns the media of a result. */
export function mediaParts({ content }: ToolResultPart): GenerateContentMediaParam[] {
  return content.flatMap(part => (part.type === 'media' && isSentAsMedia(part) ? [mediaPart(part)] : []));
}

/** Returns a JSON object unchanged. Any other text goes into `output`. */
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
    if (!isSentAsMedia(part)) return [mediaPart(part).text ?? ''];
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
