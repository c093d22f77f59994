import { type Edit, type GenerateRequest, parseExact, spliceTopLevel } from '@model-gateway/canonical';
import { camelCase } from '@model-gateway/wire';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { resourceName, resourcePath } from '../google-resource.ts';
import { JsonBody } from '../json-body.ts';
import { checkToolChoice } from '../unsupported.ts';
import { conversation } from './encode-conversation.ts';
import { formatInstruction, generationConfig } from './encode-generation.ts';
import { toolFields } from './encode-tools.ts';
import { modelTraits } from './models.ts';
import { sanitizeHistory } from './sanitize-history.ts';

/** Writes a request: the client's text if it has this format, otherwise a translation. */
export function encode(input: EncodeInput): UpstreamRequest {
  const { text, request } = input;
  return {
    path: pathOf(input),
    body: request ? new JsonBody(body(input, request)) : splice(text ?? noText, input),
  };
}

const noText = Buffer.from('{}');

function body(input: EncodeInput, request: GenerateRequest): object {
  const translated = translate(input, request);
  if (input.envelope.operation !== 'count-tokens') return translated;
  return { generateContentRequest: { model: resourceName(input.model), ...translated } };
}

/** Returns the path with the model and method. Streams are always requested as SSE. */
function pathOf({ envelope, request, model }: EncodeInput): string {
  const path = resourcePath(model);
  if (envelope.operation === 'count-tokens') return `${path}:countTokens`;
  return request || envelope.stream ? `${path}:streamGenerateContent?alt=sse` : `${path}:generateContent`;
}

function splice(text: Buffer, input: EncodeInput): Buffer {
  const edits = requestEdits(input);
  const whole = new Map(edits);
  // A token count may wrap a whole request.
  for (const name of spellings('generateContentRequest')) whole.set(name, within(edits));
  return spliceTopLevel(text, whole);
}

function requestEdits({ envelope, model, drop }: EncodeInput): Map<string, Edit> {
  const edits = new Map<string, Edit>([
    ['model', current => (current ? JSON.stringify(resourceName(model)) : null)],
  ]);
  if (envelope.foreign) edits.set('contents', contents => sanitizedContents(contents, model));
  const dropped = drop
    .flatMap(name => spellings(camelCase(name)))
    .map((name): [string, Edit] => [name, null]);
  if (dropped.length === 0) return edits;
  for (const name of spellings('generationConfig')) edits.set(name, within(new Map(dropped)));
  return new Map([...edits, ...dropped]);
}

/** Returns the accepted spellings of a field: camel case and snake case. */
function spellings(name: string): string[] {
  return [...new Set([name, name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)])];
}

/** Edits the members of a nested object. One that is absent or `null` stays unchanged. */
function within(edits: ReadonlyMap<string, Edit>): Edit {
  return current => {
    if (!current?.startsWith('{')) return current ?? null;
    return spliceTopLevel(Buffer.from(current), edits).toString('utf8');
  };
}

/** Returns the client's history without other vendors' signatures. */
function sanitizedContents(contents: string | undefined, model: string): string | null {
  if (contents === undefined) return null;
  const sanitized = sanitizeHistory(
    parseExact(contents) as Record<string, unknown>[],
    modelTraits(model).signed,
  );
  return JSON.stringify(sanitized);
}

function translate({ envelope, model, drop, limits }: EncodeInput, request: GenerateRequest): object {
  checkToolChoice(request);
  const capabilities = modelTraits(model);
  const {
    generationConfig: ownConfig,
    toolConfig: ownTools,
    ...ownFields
  } = request.extensions?.[format] ?? {};
  const { system, contents } = conversation(request.messages, capabilities, envelope.format);
  system.push(...formatInstruction(request, capabilities));
  const tier = request.serviceTier;
  const config = withoutUndefined({
    ...fields(ownConfig),
    ...generationConfig(request, capabilities, limits),
  });
  const body: Record<string, unknown> = {
    ...ownFields,
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    contents,
    ...toolFields(request, ownTools),
    ...((tier === 'flex' || tier === 'priority') && { serviceTier: tier }),
    generationConfig: config,
  };
  for (const name of drop.map(camelCase)) {
    delete body[name];
    delete config[name];
  }
  if (Object.keys(config).length === 0) delete body.generationConfig;
  return body;
}

const format = 'generate-content';

function withoutUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
