import type {
  AssistantPart,
  GenerateRequest,
  MediaPart,
  Message,
  OpaquePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import { parseExact } from '@model-gateway/json';
import { textOfBase64 } from '#bytes';
import { mediaTypeOf } from '../upstream/encode-media.ts';
import { forwarded, opaqueText, refuse } from '../upstream/request-body.ts';
import { toolInput } from '../upstream/tools.ts';
import { conversationOf, splitConversation } from '../upstream/turns.ts';
import { functionName, idField } from './encode-tools.ts';
import type { ModelTraits } from './models.ts';
import type {
  GenerateContentContentParam,
  GenerateContentMediaParam,
  GenerateContentPartParam,
} from './parts.ts';
import { signatureField, standIn } from './sanitize-history.ts';

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
type CallNames = ReadonlyMap<string, string>;

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
function mediaParts({ content }: ToolResultPart): GenerateContentMediaParam[] {
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

/** Writes text parts without empty texts, which the vendor refuses. */
export function textParts(parts: readonly { text: string }[]): { text: string }[] {
  return parts.filter(({ text }) => text !== '').map(({ text }) => ({ text }));
}

export function userParts(parts: readonly UserPart[]): GenerateContentPartParam[] {
  return parts.flatMap(userPart);
}

function userPart(part: UserPart): GenerateContentPartParam[] {
  switch (part.type) {
    case 'text':
      return textParts([part]);
    case 'media':
      return [mediaPart(part)];
    case 'opaque':
      return [opaquePart(part)];
  }
}

/**
 * Writes a model turn. Clients without a signature field on calls keep the signature on the reasoning before
 * it: it moves back to the call or text that follows. The vendor does not need unsigned reasoning.
 */
export function modelParts(content: readonly AssistantPart[]): GenerateContentPartParam[] {
  const parts: GenerateContentPartParam[] = [];
  let reasoning: GenerateContentPartParam | undefined;
  for (const part of content) {
    if (part.type === 'reasoning') {
      const next = reasoningPart(part);
      if (reasoning && next) parts.push(reasoning);
      reasoning = next ?? reasoning;
      continue;
    }
    for (const written of modelPart(part)) {
      if (reasoning) written.thoughtSignature ??= reasoning.thoughtSignature;
      reasoning = undefined;
      parts.push(written);
    }
  }
  const known = parts.some(({ thoughtSignature }) => thoughtSignature === reasoning?.thoughtSignature);
  return reasoning && !known ? [...parts, reasoning] : parts;
}

/** Writes reasoning; undefined if this vendor did not sign it. */
function reasoningPart({ text, signature }: ReasoningPart): GenerateContentPartParam | undefined {
  const signed = signatureField(signature);
  return signed.thoughtSignature ? { text, thought: text ? true : undefined, ...signed } : undefined;
}

function modelPart(part: Exclude<AssistantPart, ReasoningPart>): GenerateContentPartParam[] {
  switch (part.type) {
    case 'text':
      return textPart(part);
    case 'refusal':
      return textParts([part]);
    case 'tool-call':
      return [callPart(part)];
    case 'media':
    case 'opaque':
      return userPart(part);
  }
}

function textPart({ text, signature }: TextPart): GenerateContentPartParam[] {
  const signed = signatureField(signature);
  return text === '' && !signed.thoughtSignature ? [] : [{ text, ...signed }];
}

function callPart(part: ToolCallPart): GenerateContentPartParam {
  const { id, name, signature } = part;
  return {
    functionCall: { ...idField(id), name: functionName(name), args: toolInput(part) },
    ...signatureField(signature),
  };
}

function opaquePart(part: OpaquePart): GenerateContentPartParam {
  return part.format === 'generate-content' ? forwarded(part.value) : { text: opaqueText(part) };
}

/** Writes media inline or by URL. @throws GatewayError for media that this format does not support */
export function mediaPart(part: MediaPart): GenerateContentMediaParam {
  const { source, name } = part;
  switch (source.type) {
    case 'text':
      return { text: titled(name, source.text) };
    case 'url':
      return fileAt(source.url, part);
    case 'file':
      if (source.format === 'generate-content') return fileAt(source.id, part);
      return refuse('messages', `The file '${source.id}' is stored with another vendor than this model's.`);
    case 'base64':
      return inline(source.data, part);
  }
}

/** True if the part is sent as media, false if as text. */
function isSentAsMedia({ source }: MediaPart): boolean {
  return source.type !== 'text';
}

function fileAt(fileUri: string, { mediaType }: MediaPart): GenerateContentMediaParam {
  return { fileData: { mimeType: mediaType ? mimeType(mediaType) : undefined, fileUri } };
}

function inline(data: string, part: MediaPart): GenerateContentMediaParam {
  const mediaType = mediaTypeOf(part);
  if (!mediaType) {
    const what = part.name ? `the file '${part.name}'` : `the ${part.kind}`;
    return refuse('messages', `The media type of ${what} is missing: send it as a data URL.`);
  }
  if (mediaType.startsWith('text/')) return { text: titled(part.name, textOfBase64(data)) };
  return { inlineData: { mimeType: mimeType(mediaType), data } };
}

function mimeType(mediaType: string): string {
  return mediaType === 'image/jpg' ? 'image/jpeg' : mediaType;
}

function titled(name: string | undefined, text: string): string {
  return name ? `${name}\n\n${text}` : text;
}
