import type { IncomingMessage, RequestListener } from 'node:http';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApi } from '../../services/control/src/api/openapi/document.ts';
import { allOperations, type Document } from '../openapi/operations.ts';

const document = openApi() as Document;
const root = 'https://gateway/openapi.json';
const json = 'application/json';
const form = 'multipart/form-data';

/** Validates; a form's fields are texts, which become what their schemas ask for. */
const validators = { [json]: validator(false), [form]: validator(true) };

function validator(isForm: boolean): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: false, ...(isForm && { coerceTypes: 'array' }) });
  formats.default(ajv);
  return ajv.addSchema(document, root);
}

interface Described {
  method: string;
  template: string;
  path: RegExp;
}
const described: Described[] = allOperations(document)
  .filter(({ operation }) => operation.requestBody)
  .map(({ method, path }) => ({ method, template: path, path: matcher(path) }));

/** Matches the paths of a template; those of generate content may begin with other versions. */
function matcher(template: string): RegExp {
  const escaped = template.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  const any = escaped.replace('{model}', '.+').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${any.replace('/v1beta/models/', '/v1(?:alpha|beta)?/(?:models/)?')}$`);
}

/** Collects the requests that succeed although their bodies are not as the OpenAPI document describes them. */
export class DescribedRequests {
  /** The number of bodies that were checked. */
  checked = 0;
  readonly #violations = new Set<string>();
  readonly #checks: Promise<void>[] = [];

  /** Wraps the handler of all requests. */
  watch(handle: RequestListener): RequestListener {
    return (request, response) => {
      const chunks = recordBody(request);
      response.on('finish', () => {
        if (response.statusCode < 300) this.#checks.push(this.#check(request, Buffer.concat(chunks)));
      });
      handle(request, response);
    };
  }

  /** @throws Error that names the requests and their fields */
  async end(): Promise<void> {
    await Promise.all(this.#checks);
    if (this.#violations.size === 0) return;
    throw new Error(`The OpenAPI document does not allow:\n${[...this.#violations].join('\n')}`);
  }

  async #check({ method = '', url = '', headers }: IncomingMessage, bytes: Buffer): Promise<void> {
    const path = url.replace(/\?.*$/s, '');
    const found = described.find(one => one.method === method.toLowerCase() && one.path.test(path));
    if (!found || bytes.length === 0) return;
    const type = headers['content-type']?.startsWith(form) ? form : json;
    const body = type === form ? await formObject(bytes, headers) : JSON.parse(bytes.toString());
    this.checked++;
    for (const error of problems(found, type, body))
      this.#violations.add(`${method} ${path}: ${error.instancePath} ${error.message} (${error.schemaPath})`);
  }
}

function problems({ template, method }: Described, type: typeof json | typeof form, body: unknown) {
  const names = ['paths', template, method, 'requestBody', 'content', type, 'schema'];
  const pointer = names.map(name => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const validate = validators[type].getSchema(`${root}#/${encodeURI(pointer)}`);
  if (!validate) throw new Error(`no schema for ${method} ${template} with ${type}`);
  return validate(body) ? [] : (validate.errors as ErrorObject[]);
}

/** Collects what the connection puts into a request's stream, which is read elsewhere. */
function recordBody(request: IncomingMessage): Buffer[] {
  const chunks: Buffer[] = [];
  const push = request.push.bind(request);
  request.push = (chunk, encoding) => {
    if (Buffer.isBuffer(chunk)) chunks.push(Buffer.from(chunk));
    return push(chunk, encoding);
  };
  return chunks;
}

/** The fields of forms that the document lists with their brackets. */
const bracketed = new Set(['image[]']);

/** Returns the object that a form's fields make: `include[]` is the list `include`, and a file is a text. */
async function formObject(bytes: Buffer, headers: IncomingMessage['headers']): Promise<object> {
  const body = new Response(new Uint8Array(bytes), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  });
  const object: Record<string, unknown> = {};
  for (const [field, value] of await body.formData()) {
    const [, outer = field, inner] = /^(\w+)\[(\w*)\]$/.exec(field) ?? [];
    const name = bracketed.has(field) ? field : outer;
    const text = typeof value === 'string' ? value : 'file';
    if (inner) object[name] = { ...Object(object[name]), [inner]: text };
    else if (inner === '') object[name] = [...[object[name] ?? []].flat(), text];
    else object[name] = text;
  }
  return object;
}
