import { Expression } from './literal.ts';
import type { CodeFile } from './request.ts';

/** Base64 of fewer characters stays in the code. */
const inlineLength = 400;
const base64 = /^(data:([\w.+/-]+);base64,)?([A-Za-z0-9+/]+={0,2})$/;

/**
 * Returns a body in which each attachment is an expression that reads a file, and those files. `read` writes that expression: the
 * base64 of a file, after a text such as `data:image/png;base64,`.
 */
export function withFiles<Body>(
  body: Body,
  read: (name: string, before: string) => string,
): { body: Body; files: CodeFile[] } {
  const files: CodeFile[] = [];
  const changed = (value: unknown, fields: Record<string, unknown>): unknown => {
    if (typeof value === 'string') return attachment(value, fields);
    if (Array.isArray(value)) return value.map(entry => changed(entry, fields));
    if (typeof value !== 'object' || value === null) return value;
    const own = value as Record<string, unknown>;
    return Object.fromEntries(Object.entries(own).map(([name, field]) => [name, changed(field, own)]));
  };
  const attachment = (text: string, fields: Record<string, unknown>): unknown => {
    if (text.length < inlineLength) return text;
    const [, before = '', mediaType, data] = base64.exec(text) ?? [];
    if (!data) return text;
    const known = files.find(file => file.data === data);
    const name = known?.name ?? unique(nameOf(fields, mediaType), files);
    if (!known) files.push({ name, data });
    return new Expression(read(name, before));
  };
  return { body: changed(body, {}) as Body, files };
}

function nameOf(fields: Record<string, unknown>, mediaType: string | undefined): string {
  const named = fields.filename ?? fields.title;
  if (typeof named === 'string' && /^[\w. -]{1,100}$/.test(named)) return named;
  const type = mediaType ?? fields.media_type ?? fields.mimeType ?? fields.format;
  const ending = /([a-z0-9]+)$/.exec(String(type ?? ''))?.[1] ?? 'bin';
  return `attachment.${endings[ending] ?? ending}`;
}

const endings: Record<string, string> = { jpeg: 'jpg', mpeg: 'mp3', plain: 'txt' };

function unique(name: string, files: readonly CodeFile[]): string {
  const taken = (tried: string) => files.some(file => file.name === tried);
  if (!taken(name)) return name;
  const [, stem = name, ending = ''] = /^(.*?)(\.[^.]*)?$/.exec(name) ?? [];
  for (let number = 2; ; number++) {
    if (!taken(`${stem}-${number}${ending}`)) return `${stem}-${number}${ending}`;
  }
}
