import { translatedTier } from '@model-gateway/canonical';
import { type Edit, memberText, parseExact, spliceTopLevel } from '@model-gateway/json';
import type { CanonicalInput, GenerateInput, UpstreamRequest, VerbatimInput } from '../upstream/dialect.ts';
import { resourceName, resourcePath } from '../upstream/google-resource.ts';
import { JsonBody, membersOf, withoutDropped, withoutUndefined } from '../upstream/request-body.ts';
import { checkToolChoice } from '../upstream/unsupported.ts';
import { camelCase } from './case.ts';
import { conversation } from './encode-conversation.ts';
import { formatInstruction, generationConfig } from './encode-generation.ts';
import { refuseVendorToolChoice, toolFields, vendorSchema } from './encode-tools.ts';
import { modelTraits } from './models.ts';
import type { GenerateContentCountParams, GenerateContentRequestParams } from './request.ts';
import { sanitizeHistory } from './sanitize-history.ts';

/** Writes a request: the client's text if it has this format, otherwise a translation. */
export function encode(input: GenerateInput): UpstreamRequest {
  return {
    path: pathOf(input),
    body: input.body === 'canonical' ? new JsonBody(body(input)) : splice(input),
  };
}

/** A request without the fields that the model does not accept. */
type Params = Partial<GenerateContentRequestParams>;

function body(input: CanonicalInput): Params | GenerateContentCountParams {
  const translated = translate(input);
  if (input.envelope.operation !== 'count-tokens' || namedInUrl(input)) return translated;
  return { generateContentRequest: { model: resourceName(input.model), ...translated } };
}

/** True if the URL alone names the model. */
function namedInUrl({ differences }: GenerateInput): boolean {
  return differences?.inUrl?.includes('model') === true;
}

/** Returns the path with the model and method. Streams are always requested as SSE. */
function pathOf({ envelope, body, model, drop }: GenerateInput): string {
  const path = resourcePath(model);
  if (envelope.operation === 'count-tokens') return `${path}:countTokens`;
  const streams = body === 'canonical' ? !drop.includes('stream') : envelope.stream;
  return streams ? `${path}:streamGenerateContent?alt=sse` : `${path}:generateContent`;
}

function splice(input: VerbatimInput): Buffer {
  const edits = requestEdits(input);
  if (namedInUrl(input)) return spliceTopLevel(unwrapped(input), edits);
  const whole = new Map(edits);
  // A token count may wrap a whole request.
  for (const name of spellings('generateContentRequest')) whole.set(name, within(edits));
  return spliceTopLevel(input.text, whole);
}

/** Returns the client's JSON, or the whole request that a token count wraps. */
function unwrapped({ text, envelope }: VerbatimInput): Buffer {
  if (envelope.operation !== 'count-tokens') return text;
  const wrapped = spellings('generateContentRequest').map(name => memberText(text, name));
  const whole = wrapped.find(member => member?.startsWith('{'));
  return whole === undefined ? text : Buffer.from(whole);
}

function requestEdits(input: VerbatimInput): Map<string, Edit> {
  const { envelope, model, drop } = input;
  const edits = new Map<string, Edit>([
    ['model', current => (current && !namedInUrl(input) ? JSON.stringify(resourceName(model)) : null)],
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
  const sent = parseExact(contents);
  const list = (Array.isArray(sent) ? sent : [sent]) as Record<string, unknown>[];
  return JSON.stringify(sanitizeHistory(list, modelTraits(model).signed));
}

function translate({ request, model, drop, limits }: CanonicalInput): Params {
  checkToolChoice(request);
  const capabilities = modelTraits(model);
  const dropped = drop.map(camelCase);
  const {
    generationConfig: ownConfig,
    toolConfig: ownTools,
    ...ownFields
  } = request.extensions?.['generate-content'] ?? {};
  const { system, contents } = conversation(request, capabilities);
  system.push(...formatInstruction(request, capabilities));
  const config = withoutUndefined({
    ...membersOf(ownConfig),
    ...generationConfig(request, capabilities, limits),
  });
  const keptConfig = withoutDropped(config, dropped);
  refuseVendorToolChoice(request);
  const params: GenerateContentRequestParams = {
    systemInstruction: system.length > 0 ? { parts: system } : undefined,
    contents,
    ...toolFields(request, ownTools, vendorSchema),
    serviceTier: translatedTier(request.serviceTier),
    generationConfig: Object.keys(keptConfig).length > 0 ? keptConfig : undefined,
  };
  return withoutDropped({ ...ownFields, ...withoutUndefined(params) }, dropped);
}
