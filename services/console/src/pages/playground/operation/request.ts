import { Problem, problemOf } from '../../problem.ts';
import type { CodeFormat, CodeRequest } from '../../snippets/request.ts';

/** A request to the data plane as it is sent, without the token. */
export interface OperationRequest {
  method: 'POST';
  path: string;
  body: JsonBody | FormBody;
}

interface JsonBody {
  type: 'json';
  json: Record<string, unknown>;
}

/** A body of the type `multipart/form-data`. */
interface FormBody {
  type: 'form';
  /** The fields in their order; a list is a field that occurs several times. */
  fields: [name: string, value: string | File][];
}

/** Makes a request with a JSON body. Fields without a value are left out, so the model's defaults apply. */
export function jsonRequest(path: string, json: Record<string, unknown>): OperationRequest {
  const set = Object.entries(json).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return { method: 'POST', path, body: { type: 'json', json: Object.fromEntries(set) } };
}

/** Makes a request with a form. Fields without a value are left out, so the model's defaults apply. */
export function formRequest(
  path: string,
  fields: [name: string, value: string | File | null | undefined][],
): OperationRequest {
  const set = fields.filter((field): field is [string, string | File] => Boolean(field[1]));
  return { method: 'POST', path, body: { type: 'form', fields: set } };
}

/**
 * Sends a request to the data plane. An abort also ends the upstream request.
 * @throws Problem if the gateway does not respond, or responds with an error
 */
export async function send(
  secret: string,
  { method, path, body }: OperationRequest,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      // The browser writes the type of a form, which has the boundary.
      ...(body.type === 'json' && { 'content-type': 'application/json' }),
    },
    body: body.type === 'json' ? JSON.stringify(body.json) : formOf(body.fields),
    cache: 'no-store',
    signal,
  }).catch(() => {
    signal.throwIfAborted();
    throw new Problem('The gateway did not respond.', { code: 'unreachable' });
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

function formOf(fields: readonly [string, string | File][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

/** Returns a request as the writers of code take it, for an answer that comes whole. */
export function codeRequest(
  format: CodeFormat,
  { path, body }: OperationRequest,
  model: string,
): CodeRequest {
  const { stream, stream_format, partial_images, ...whole } =
    body.type === 'json' ? body.json : textsOf(body);
  return { format, path, model, baseUrl: window.location.origin, body: whole };
}

/** Returns the fields of a form with the names of files. A field that occurs several times is a list. */
function textsOf({ fields }: FormBody): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    const text = typeof value === 'string' ? value : value.name;
    const key = name.replace(/\[\]$/, '');
    values[key] = name.endsWith('[]') ? [...((values[key] as unknown[]) ?? []), text] : text;
  }
  return values;
}

/** Writes a request as a person reads it: method and path, then the JSON, or each field of the form on a line. */
export function requestText({ method, path, body }: OperationRequest): string {
  const content =
    body.type === 'json'
      ? JSON.stringify(body.json, null, 2)
      : body.fields.map(([name, value]) => `${name}: ${fieldText(value)}`).join('\n');
  return `${method} ${path}\n\n${content}`;
}

function fieldText(value: string | File): string {
  return typeof value === 'string' ? value : `(file ${value.name}, ${value.type}, ${value.size} bytes)`;
}

/** Shortens what nobody reads: images and audio in base64, and texts of more than 20,000 characters. */
export function shortened(text: string): string {
  const brief = text.replace(
    /[\w+/=]{300,}/g,
    data => `${data.slice(0, 24)}… (${data.length.toLocaleString()} characters)`,
  );
  return brief.length > maxCharacters ? `${brief.slice(0, maxCharacters)}\n…` : brief;
}

const maxCharacters = 20_000;
