import type { EmbedRequest } from '@model-gateway/canonical';
import { type Edit, parseExact, spliceTopLevel, topLevelSpans } from '@model-gateway/json';
import { camelCase } from '../generate-content/case.ts';
import type { CanonicalInput, UpstreamRequest, VerbatimInput } from '../upstream/dialect.ts';
import { inputTexts } from '../upstream/embedding-dialect.ts';
import { encodeTask } from '../upstream/encode-google-task.ts';
import { resourceName, resourcePath } from '../upstream/google-resource.ts';
import { JsonBody, withoutDropped } from '../upstream/request-body.ts';
import type { BatchEmbedRequestParams, EmbedContentRequestParams } from './types.ts';

export type Input = VerbatimInput | CanonicalInput<EmbedRequest>;
type Fields = Record<string, unknown>;

/** Writes a request: the client's text if it has this format, otherwise a translation into a batch. */
export function encode(input: Input): UpstreamRequest {
  const path = resourcePath(input.model);
  if (input.body === 'canonical') return { path: `${path}:batchEmbedContents`, body: translate(input) };
  return input.envelope.inputs === undefined
    ? { path: `${path}:embedContent`, body: spliceContent(input) }
    : { path: `${path}:batchEmbedContents`, body: spliceBatch(input) };
}

function spliceContent({ text, model, drop }: VerbatimInput): Buffer {
  const renamed: Edit = current => (current === undefined ? null : JSON.stringify(resourceName(model)));
  return spliceTopLevel(text, new Map([...removals(text, drop), ['model', renamed]]));
}

/** Sets the model in each request of a batch. The batch stays byte-identical if nothing changes. */
function spliceBatch(input: VerbatimInput): Buffer {
  const edit: Edit = (current = '[]') => {
    const requests = parseExact(current) as Fields[];
    const edited = requests.map(request => editRequest(request, input));
    return edited.every((request, i) => request === requests[i]) ? current : JSON.stringify(edited);
  };
  return spliceTopLevel(input.text, new Map([['requests', edit]]));
}

function editRequest(request: Fields, { model, drop }: Input): Fields {
  const name = resourceName(model);
  const fields = Object.entries(request).filter(([field]) => !isDropped(field, drop));
  const same = request.model === name && fields.length === Object.keys(request).length;
  return same ? request : { ...Object.fromEntries(fields), model: name };
}

function removals(text: Buffer, drop: readonly string[]): [string, Edit][] {
  const fields = topLevelSpans(text.toString('latin1')).map(({ key }) => key);
  return fields.filter(field => isDropped(field, drop)).map(field => [field, null]);
}

/** True if a field is dropped, in camel case or snake case. */
function isDropped(field: string, drop: readonly string[]): boolean {
  return drop.some(name => camelCase(name) === camelCase(field));
}

function translate({ model, drop, request }: CanonicalInput<EmbedRequest>): JsonBody {
  const { inputs, dimensions, extensions } = request;
  const { fields: task, textOf } = encodeTask(model, request, drop);
  const settings: Settings = { ...task, outputDimensionality: dimensions };
  const fields = { ...extensions?.['embed-content'], ...settings };
  const dropped = Object.keys(fields).filter(field => isDropped(field, drop));
  const kept = withoutDropped(fields, dropped);
  const requests = inputTexts(inputs).map(
    (text): EmbedContentRequestParams => ({
      model: resourceName(model),
      content: { parts: [{ text: textOf(text) }] },
      ...kept,
    }),
  );
  const body: BatchEmbedRequestParams = { requests };
  return new JsonBody(body);
}

type Settings = Omit<EmbedContentRequestParams, 'model' | 'content'>;
