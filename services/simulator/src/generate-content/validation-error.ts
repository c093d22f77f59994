import type { z } from 'zod';
import { ApiError } from '../api-error.ts';

/** The first problem of a body, in the vendor's words. */
export function validationError({ issues: [issue] }: z.ZodError): ApiError {
  if (!issue) return badRequest('Request contains an invalid argument.');
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') return unknownName(issue.keys[0] ?? '', issue.path);
  if (issue.code === 'custom' || issue.message.startsWith('*')) return badRequest(issue.message, path);
  return badRequest(`Invalid value at '${path}': ${issue.message}`, path);
}

function unknownName(name: string, at: PropertyKey[]): ApiError {
  const path = pathOf(at);
  const where = path ? ` at '${path}'` : '';
  return badRequest(
    `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`,
    path,
  );
}

export function badRequest(message: string, field = ''): ApiError {
  return new ApiError(400, message, null, field || null);
}

/** `contents[0].parts[1].inline_data` */
function pathOf(path: PropertyKey[]): string {
  return path
    .map(key => (typeof key === 'number' ? `[${key}]` : `.${snake(String(key))}`))
    .join('')
    .slice(typeof path[0] === 'number' ? 0 : 1);
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}
