import type {
  AssistantPart,
  MediaPart,
  MediaSource,
  Message,
  OpaquePart,
  ReasoningPart,
  Signature,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import { typeOfBytes, withoutLineEnds } from '../values/media.ts';
import { readSignature } from '../values/signatures.ts';
import { invalid } from './format.ts';
import type {
  GenerateContentContent,
  GenerateContentFunctionCall,
  GenerateContentFunctionResponse,
  GenerateContentPart,
} from './parts.ts';
import type { GenerateContentTranslatable } from './request.ts';

/** A part with its position in the body. */
interface Placed {
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

export function userPart({ part, path }: Placed): UserPart {
  if (typeof part.text === 'string') return { type: 'text', text: part.text };
  return part.inlineData || part.fileData ? mediaPart(part, path) : opaquePart(part);
}

/**
 * Parses the parts of a model turn. Consecutive unsigned texts, the pieces of a stream, are joined. A
 * signature of another vendor belongs to the reasoning before the part that carries it.
 */
export function modelParts(placed: readonly Placed[]): AssistantPart[] {
  const parts: AssistantPart[] = [];
  for (const { part, path } of placed) {
    const signature = readSignature(part.thoughtSignature, own);
    // A call counts as a call even if it is marked as a thought, since its result follows.
    if (part.thought && !part.functionCall) addReasoning(parts, part, signature);
    else {
      if (signature && signature.format !== own) signReasoning(parts, signature);
      const parsed = modelPart({ part, path }, signature?.format === own ? signature : undefined);
      if (parsed.type === 'text') addText(parts, parsed);
      else parts.push(parsed);
    }
  }
  return parts;
}

const own = 'generate-content';

function modelPart(
  { part, path }: Placed,
  signature: Signature | undefined,
): Exclude<AssistantPart, ReasoningPart> {
  const { text, functionCall, inlineData, fileData } = part;
  const signed = signature && { signature };
  if (functionCall) return toolCall(functionCall, path, signed);
  if (inlineData || fileData) return mediaPart(part, path);
  const isText =
    typeof text === 'string' || !Object.values(part).some(value => typeof value === 'object' && value);
  return isText ? { type: 'text', text: text ?? '', ...signed } : opaquePart(part);
}

/** Parses a call. A missing id is derived from the call's position, so it is stable across requests. */
function toolCall(
  { id, name, args }: GenerateContentFunctionCall,
  path: string,
  signed?: { signature: Signature },
): ToolCallPart {
  const place = `call_${path.replace(/\D+/g, '_').replace(/^_|_$/g, '')}`;
  return { type: 'tool-call', id: id || place, name, arguments: JSON.stringify(args ?? {}), ...signed };
}

function addText(parts: AssistantPart[], part: TextPart): void {
  const last = parts.at(-1);
  if (part.text === '' && !part.signature) return;
  if (last?.type === 'text' && !last.signature && !part.signature) last.text += part.text;
  else parts.push(part);
}

/** Adds reasoning. A signature of another vendor without a text field is redacted reasoning. */
function addReasoning(
  parts: AssistantPart[],
  { text }: GenerateContentPart,
  signature: Signature | undefined,
): void {
  const redacted = typeof text !== 'string' && signature && signature.format !== own;
  const last = parts.at(-1);
  if (last?.type === 'reasoning' && !last.signature && !redacted) {
    last.text += text ?? '';
    if (signature) last.signature = signature;
  } else if (text || signature) {
    const hidden = redacted ? { redacted } : {};
    parts.push({ type: 'reasoning', text: text ?? '', ...hidden, ...(signature && { signature }) });
  }
}

/** Signs the last reasoning part, or adds an empty one. */
function signReasoning(parts: AssistantPart[], signature: Signature): void {
  const last = parts.at(-1);
  if (last?.type === 'reasoning' && !last.signature) last.signature = signature;
  else parts.push({ type: 'reasoning', text: '', signature });
}

function opaquePart(part: GenerateContentPart): OpaquePart {
  return { type: 'opaque', format: own, value: part };
}

type GenerateContentMedia = Pick<GenerateContentPart, 'inlineData' | 'fileData'>;
type Media = Pick<MediaPart, 'kind' | 'source' | 'mediaType' | 'name'>;

/** Parses media as bytes, a link, or a file stored at the vendor. @throws GatewayError for video */
export function mediaPart({ inlineData, fileData }: GenerateContentMedia, path: string): MediaPart {
  if (inlineData) return { type: 'media', ...inline(inlineData, `${path}.inlineData`) };
  if (fileData) return { type: 'media', ...linked(fileData, `${path}.fileData`) };
  throw invalid(path, 'it has neither inlineData nor fileData');
}

function inline(
  { mimeType, data, displayName }: NonNullable<GenerateContentMedia['inlineData']>,
  path: string,
): Media {
  const mediaType = normalType(mimeType);
  const base64 = standard(data);
  const isText = mediaType.startsWith('text/') && !typeOfBytes(base64);
  const source: MediaSource = isText
    ? { type: 'text', text: Buffer.from(base64, 'base64').toString('utf8') }
    : { type: 'base64', data: base64 };
  return { kind: kindOf(mediaType, path), source, mediaType, ...(displayName && { name: displayName }) };
}

function linked({ mimeType, fileUri }: NonNullable<GenerateContentMedia['fileData']>, path: string): Media {
  const mediaType = mimeType ? normalType(mimeType) : undefined;
  if (/^https?:\/\/([\w-]+\.)?(youtube\.com|youtu\.be)\//i.test(fileUri)) throw noVideo(path);
  const kind = mediaType
    ? kindOf(mediaType, path)
    : /\.(png|jpe?g|gif|webp)([?#]|$)/i.test(fileUri)
      ? 'image'
      : 'document';
  const source: MediaSource = isStored(fileUri)
    ? { type: 'file', id: fileUri, format: 'generate-content' }
    : { type: 'url', url: fileUri };
  return { kind, source, ...(mediaType && { mediaType }) };
}

/** True for a file stored at the vendor, which only the vendor can read. */
function isStored(uri: string): boolean {
  return !/^https?:/i.test(uri) || /^https:\/\/generativelanguage\.googleapis\.com\//i.test(uri);
}

function kindOf(mediaType: string, path: string): MediaPart['kind'] {
  const [kind] = mediaType.split('/');
  if (kind === 'video') throw noVideo(path);
  return kind === 'image' || kind === 'audio' ? kind : 'document';
}

function noVideo(path: string) {
  return invalid(path, "this model's provider does not support video");
}

function normalType(mimeType: string): string {
  const type = mimeType.trim().toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type;
}

/**
 * Converts base64 to the standard alphabet with padding. This format also accepts URL-safe and unpadded
 * base64.
 */
function standard(data: string): string {
  const same = withoutLineEnds(data).replaceAll('-', '+').replaceAll('_', '/');
  return same.endsWith('=') ? same : same.padEnd(Math.ceil(same.length / 4) * 4, '=');
}
