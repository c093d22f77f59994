import {
  type FieldPath,
  type FormatFields,
  GatewayError,
  type GenerateFormat,
  type GenerateRequest,
  type OpaquePart,
  type PlainBody,
  type PlainField,
  type PlainFields,
  type Tool,
  type ToolChoice,
  translatedTier,
} from '@model-gateway/canonical';
import {
  type Edit,
  JsonTooLargeError,
  memberText,
  spliceTopLevel,
  type Turn,
  type WriteBounds,
  writeInSteps,
} from '@model-gateway/json';
import type { FormatDifferences } from '@model-gateway/providers';
import { digest } from '#bytes';
import { isObjectSchema } from './tools.ts';

/** A JSON body that is serialized when it is sent; a large one in steps. */
export class JsonBody {
  readonly #value: object;

  constructor(value: object) {
    this.#value = value;
  }

  /** Returns the body with more top-level fields. */
  with(fields: object): JsonBody {
    return new JsonBody({ ...this.#value, ...fields });
  }

  /** Serializes the body at once. */
  bytes(): Buffer {
    return Buffer.from(this.toString());
  }

  /** Serializes the body to the same bytes in steps. @throws GatewayError of kind `too-large` over the limit; what the signal throws */
  async bytesInSteps(turn: Turn, bounds?: Pick<WriteBounds, 'limit' | 'signal'>): Promise<Buffer> {
    const pieces = await writeInSteps(this.#value, turn, bounds).catch(thrown => {
      throw thrown instanceof JsonTooLargeError ? tooLargeWritten(thrown.limit) : thrown;
    });
    if (pieces.length === 1) return pieces[0] as Buffer;
    await turn();
    return Buffer.concat(pieces);
  }

  toString(): string {
    return JSON.stringify(this.#value);
  }
}

export function tooLargeWritten(limit: number): GatewayError {
  const message = `The request is larger than ${Math.round(limit / 1e5) / 10} MB when it is written for the model's provider. Send a smaller one.`;
  return new GatewayError('too-large', message);
}

/** A client's JSON for an upstream of the same format. */
interface NativeRequest {
  text: Buffer;
  /** The model's name at the upstream. */
  model: string;
  /** Fields that the model does not accept. */
  drop: readonly string[];
  differences?: FormatDifferences | undefined;
}

/** Returns the client's JSON with the upstream's model and names, without the fields that the model does not accept. */
export function nativeBody(request: NativeRequest): Buffer {
  return spliceTopLevel(request.text, nativeEdits(request));
}

/** Returns the edits of {@link nativeBody}, by field. */
export function nativeEdits({ text, model, drop, differences }: NativeRequest): Map<string, Edit> {
  const edits = new Map<string, Edit>(drop.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  for (const [field, name] of Object.entries(differences?.renames ?? {})) {
    const value = edits.has(field) ? undefined : memberText(text, field);
    if (value === undefined) continue;
    edits.set(field, null);
    // The client may have sent both names.
    edits.set(name, value);
  }
  return edits;
}

/** Returns a translated body with the upstream's names, without the fields that the model does not accept. */
export function writtenBody(
  { drop, differences }: Pick<NativeRequest, 'drop' | 'differences'>,
  body: object,
): JsonBody {
  const fields = withoutDropped(body, drop);
  return new JsonBody(differences?.renames ? renamed(fields, differences.renames) : fields);
}

/** Returns the plain fields of a canonical request that are set, as the format names them. */
export function writePlain<T extends PlainFields>(
  { plain }: Pick<FormatFields<T>, 'plain'>,
  request: GenerateRequest,
): PlainBody<T, never> {
  const written: Record<string, unknown> = {};
  for (const canonical in plain) {
    const value = request[canonical as PlainField<T>];
    if (value !== undefined) written[plain[canonical] as string] = value;
  }
  return written as PlainBody<T, never>;
}

function renamed(fields: object, renames: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [renames[field] ?? field, value]));
}

/** Returns the fields that the model accepts. */
export function withoutDropped<T extends object>(fields: T, drop: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !drop.includes(field))) as Partial<T>;
}

/** Returns the fields that are set: the others must not hide a client's fields of the same name. */
export function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/**
 * Returns a copy of a client's block, tool or item of the upstream's own format as the type `T` that stands there: it is
 * forwarded with all its fields, which only the upstream knows.
 */
export function forwarded<T>(value: Record<string, unknown>): T {
  return { ...value } as unknown as T;
}

/** Returns a copy of a client's JSON object; any other value has no members. */
export function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Fields that only the vendor uses: signatures, encrypted data and cache breakpoints. */
const vendorFields = /^(encrypted_|cache_control$|signature$)/;

/** Returns a block that only another format has as JSON text, without fields that only its vendor uses. */
export function opaqueText({ value }: OpaquePart): string {
  return JSON.stringify(value, (key, inner) => (vendorFields.test(key) ? undefined : inner));
}

/** The longest end-user id that OpenAI accepts, in characters. */
const maxUser = 64;

/** Fields that OpenAI's formats share. */
interface Hints {
  service_tier?: ReturnType<typeof translatedTier>;
  safety_identifier?: string;
  user?: string;
}

/** Encodes the end user and the service tier for OpenAI's formats. Other vendors' tiers are left out. */
export function hints({ user, serviceTier }: GenerateRequest, original: boolean): Hints {
  const id = user && endUserId(user);
  // Compatible upstreams may know neither the tier nor the newer name of `user`.
  if (!original) return id ? { user: id } : {};
  const tier = translatedTier(serviceTier);
  return id ? { service_tier: tier, safety_identifier: id } : { service_tier: tier };
}

/** Hashes an id that is too long or looks like an email address. */
function endUserId(user: string): string {
  if (user.length <= maxUser && !user.includes('@')) return user;
  return digest(user, 64);
}

/** Returns the error for a canonical field whose value the upstream's format cannot express. */
export function unsupported(path: FieldPath, why: string): GatewayError {
  return new GatewayError('invalid-request', `Unsupported value for '{path}': ${why}.`, {
    path,
    code: 'unsupported_value',
  });
}

/** Refuses a canonical field. In the message, `{path}` stands for the field's name. @throws GatewayError */
export function refuse(path: FieldPath, message: string, code?: string): never {
  throw new GatewayError('invalid-request', message, { path, ...(code && { code }) });
}

/** @throws GatewayError for a tool that only the vendor of another format runs */
export function refuseTool({ value }: Extract<Tool, { type: 'opaque' }>): never {
  refuse('tools', `The tool '${value.type ?? Object.keys(value)[0]}' is not run by this model's vendor.`);
}

/** @throws GatewayError for a feature that only the vendor of another format has */
export function refuseVendorFields({ vendorFields }: GenerateRequest, format: GenerateFormat): void {
  if (!vendorFields || vendorFields.format === format) return;
  const [field = ''] = vendorFields.names;
  // Only the client's format has the field, so this is its name.
  const message = `Unsupported value for '${field}': this model's provider does not support it.`;
  throw new GatewayError('invalid-request', message, { param: field, code: 'unsupported_value' });
}

/** @throws GatewayError for a choice that names a missing tool, or that requires a tool when there are none */
export function checkToolChoice({ tools = [], toolChoice }: GenerateRequest): void {
  if (!toolChoice || toolChoice.type === 'auto' || toolChoice.type === 'none') return;
  if (tools.length === 0) refuseChoice('it needs tools, but the request has none');
  if (toolChoice.type !== 'tool') return;
  const { name } = toolChoice;
  const named = tools.some(tool => {
    if ('name' in tool) return tool.name === name;
    return tool.type === 'web-search' ? name === (tool.choiceName ?? 'web_search') : tool.value.name === name;
  });
  if (!named) refuseChoice(`the request has no tool '${name}'`);
}

/** True for a choice of a tool that the vendor runs, or of any tool where there is no other. */
export function forcesVendorTool(choice: ToolChoice | undefined, tools: readonly Tool[]): boolean {
  if (choice?.type === 'required') return !tools.some(tool => 'name' in tool);
  return choice?.type === 'tool' && !tools.some(tool => 'name' in tool && tool.name === choice.name);
}

function refuseChoice(why: string): never {
  refuse('toolChoice', `Invalid '{path}': ${why}.`, 'invalid_value');
}

/** @throws GatewayError for settings that a format of one answer in text cannot express. Unsupported hints are left out. */
export function refuseBeyondOneText(request: GenerateRequest): void {
  const { n = 1, maxTokens = 1, logprobs, logitBias = {}, modalities = [], output } = request;
  if (maxTokens < 1) refuse('maxTokens', `Invalid '{path}': ${maxTokens} is less than 1.`);
  if (output?.type === 'schema' && !isObjectSchema(output.schema))
    refuse('output', "Invalid '{path}': this model supports only a schema of type 'object'.");
  if (n > 1) refuse('n', `Invalid '{path}': this model supports only one choice, but got ${n}.`);
  if (logprobs) refuse('logprobs', "Invalid '{path}': this model does not return log probabilities.");
  if (Object.keys(logitBias).length > 0)
    refuse('logitBias', "Invalid '{path}': this model does not support it.");
  const other = modalities.find(modality => modality !== 'text');
  if (other) refuse('modalities', `Invalid '{path}': this model outputs only text, not ${other}.`);
}
