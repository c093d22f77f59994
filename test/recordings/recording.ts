import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import type { Json } from '../conformance/grid/json.ts';
import type { Format } from '../stack/formats.ts';

/** A request to a service and what it answered. */
export interface Recording {
  name: string;
  format: Format;
  /** The request's body; absent if only the answer is known. */
  request?: Json;
  status: number;
  mediaType: string;
  body: string;
}

const formats: [Format, RegExp][] = [
  ['chat', /\/chat\/completions$/],
  ['messages', /\/messages$/],
  ['responses', /\/responses$/],
  ['generate-content', /:(?:generateContent|streamGenerateContent)$/],
];

/**
 * Reads the recordings in a folder and those below it: files of this project (`*.json`, see `answers`), and cassettes of VCR.py (`*.yaml`).
 * Exchanges in other formats are left out.
 */
export function recordingsIn(folder: string): Recording[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return files.flatMap(file => {
    const path = join(folder, file);
    if (/\.json$/.test(file)) return [ofFile(path)];
    return /\.ya?ml$/.test(file) ? ofCassette(path) : [];
  });
}

/** Reads `{ format, request, answer: { status, mediaType, body } }`; the lines of a stream's body are a list, and a whole body is JSON. */
function ofFile(path: string): Recording {
  const { format, request, answer }: Json = JSON.parse(readFileSync(path, 'utf8'));
  const isStream = Array.isArray(answer.body);
  return {
    name: basename(path),
    format,
    request,
    status: answer.status ?? 200,
    mediaType: isStream ? 'text/event-stream' : 'application/json',
    body: isStream ? answer.body.join('\n') : JSON.stringify(answer.body),
  };
}

/** Source: https://vcrpy.readthedocs.io; `parsed_body` is the JSON of a body where a serializer keeps that. */
function ofCassette(path: string): Recording[] {
  const { interactions = [] }: Json = parse(readFileSync(path, 'utf8'), { maxAliasCount: -1 }) ?? {};
  return interactions.flatMap(({ request, response }: Json, at: number) => {
    const [format] = formats.find(([, pattern]) => pattern.test(new URL(request.uri).pathname)) ?? [];
    const body = textOf(response);
    if (!format || request.method !== 'POST' || body === undefined) return [];
    const asked = textOf(request);
    return [
      {
        name: `${basename(path)} ${at}`,
        format,
        ...(asked && { request: JSON.parse(asked) }),
        status: response.status?.code ?? 200,
        mediaType: String(headerOf(response, 'content-type') ?? 'application/json'),
        body,
      },
    ];
  });
}

/** The text of a message; undefined if it is not text. */
function textOf({ parsed_body, body }: Json): string | undefined {
  if (parsed_body !== undefined) return JSON.stringify(parsed_body);
  const text = body?.string ?? body;
  return typeof text === 'string' ? text : undefined;
}

function headerOf({ headers = {} }: Json, name: string): unknown {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value[0] : value;
}
