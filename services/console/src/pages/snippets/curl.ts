import { withFiles } from './files.ts';
import { Expression } from './literal.ts';
import { type Code, type CodeRequest, isStreamed, speechFile } from './request.ts';
import { secretVariable, shellWord } from './shell.ts';

/** The header that carries the token, by format; a bearer token for all others. */
const keyHeaders: Partial<Record<CodeRequest['format'], string>> = {
  messages: 'x-api-key: ',
  'generate-content': 'x-goog-api-key: ',
};

/** Writes a request for curl. */
export function curl(request: CodeRequest): Code {
  const { baseUrl, path, headers = {}, format } = request;
  const key = `${keyHeaders[format] ?? 'Authorization: Bearer '}$${secretVariable}`;
  const form = format === 'transcriptions';
  const { data, files } = form ? formOf(request) : bodyOf(request);
  const output = format === 'speech' ? ` -o ${shellWord(speechFile(request))}` : '';
  const lines = [
    `curl${isStreamed(request) ? ' -N' : ''} ${shellWord(baseUrl + path)}${output}`,
    `-H "${key}"`,
    ...(form ? [] : ["-H 'Content-Type: application/json'"]),
    ...Object.entries(headers)
      .filter(([name]) => name.toLowerCase() !== 'content-type')
      .map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    data,
  ];
  return { code: lines.join(' \\\n  '), install: undefined, files };
}

function bodyOf({ body: whole }: CodeRequest): { data: string; files: Code['files'] } {
  const { body, files } = withFiles(
    whole,
    (name, before) => `${before}$(base64 < ${shellWord(name)} | tr -d '\\n')`,
  );
  if (files.length === 0) return { data: `-d ${shellWord(jsonOf(whole))}`, files };
  const places: string[] = [];
  const marked = JSON.stringify(
    body,
    (_, value) => {
      if (!(value instanceof Expression)) return value;
      return `\uE000${places.push(value.code) - 1}\uE001`;
    },
    2,
  );
  // In a here-document of a shell, these characters have a meaning.
  const text = marked
    .replace(/[\\`$]/g, '\\$&')
    .replace(/\uE000(\d+)\uE001/g, (_, at) => places[Number(at)] ?? '');
  return { data: `-d @- <<JSON\n${text}\nJSON`, files };
}

function formOf({ body }: CodeRequest): { data: string; files: Code['files'] } {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(entry => {
      const text = name === 'file' ? `@${entry}` : String(entry);
      return `-F ${shellWord(`${name}${Array.isArray(value) ? '[]' : ''}=${text}`)}`;
    }),
  );
  return { data: fields.join(' \\\n  '), files: [] };
}

/** Writes JSON on one line if it is short. */
function jsonOf(body: object): string {
  const line = JSON.stringify(body);
  return line.length <= 100 ? line : JSON.stringify(body, null, 2);
}
