import { camelCased } from '@model-gateway/formats';
import type { z } from 'zod';
import { ApiError, validatedBy } from '../common/api-error.ts';

/** Parses a body with names in camelCase or snake_case. @throws ApiError in Google's words */
export function validated<T>(schema: z.ZodType<T>, body: unknown): T {
  return validatedInCamelCase(schema, camelCased(body));
}

const validatedInCamelCase = validatedBy(({ issues: [issue] }) => {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const unknown = `Unknown name "${issue.keys[0]}"${path && ` at '${path}'`}: Cannot find field.`;
    return badRequest(`Invalid JSON payload received. ${unknown}`, path);
  }
  const whole = issue.code === 'custom' || issue.message.startsWith('*');
  return badRequest(whole ? issue.message : `Invalid value at '${path}': ${issue.message}`, path);
});

export function badRequest(message: string, field = ''): ApiError {
  return new ApiError(400, message, null, field || null);
}

/** `contents[0].parts[1].inline_data` */
function pathOf(path: PropertyKey[]): string {
  const keys = path.map(key => (typeof key === 'number' ? `[${key}]` : `.${snake(String(key))}`));
  return keys.join('').replace(/^\./, '');
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}
