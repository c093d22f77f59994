import type { CodeFormat, CodeRequest } from '../../snippets/request.ts';
import type { ModelNames } from '../../token/check-token.ts';
import type { Blocked } from './hint.ts';

/** The properties of a tab of the Playground. */
export interface OperationProps {
  /** The token. */
  secret: string;
  /** The models of the token that support the operation. */
  models: ModelNames;
  blocked: Blocked | undefined;
}

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
  const set = Object.entries(json).filter(([, value]) => value !== undefined && value !== '');
  return { method: 'POST', path, body: { type: 'json', json: Object.fromEntries(set) } };
}

/** Makes a request with a form. Fields without a value are left out, so the model's defaults apply. */
export function formRequest(
  path: string,
  fields: [name: string, value: string | File | undefined][],
): OperationRequest {
  const set = fields.filter((field): field is [string, string | File] => Boolean(field[1]));
  return { method: 'POST', path, body: { type: 'form', fields: set } };
}

/** Returns a request as the writers of code take it. */
export function codeRequest(
  format: CodeFormat,
  { path, body }: OperationRequest,
  model: string,
): CodeRequest {
  return { format, path, model, baseUrl: window.location.origin, body: codeBody(body) };
}

/** Returns the JSON of a body, or the fields of a form with the names of files. A field that occurs several times is a list. */
function codeBody(body: OperationRequest['body']): Record<string, unknown> {
  if (body.type === 'json') return body.json;
  const values: Record<string, unknown> = {};
  for (const [name, value] of body.fields) {
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
