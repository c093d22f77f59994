import type { z } from 'zod';
import { ApiError, validatedBy } from '../common/api-error.ts';

/** Parses a body. @throws ApiError in Anthropic's words: `messages.0.content.1.text.text: Field required` */
export const validated = validatedBy(({ issues: [issue] }, body) => {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const { path, value } = follow(body, [...issue.path, ...unknown]);
  const reason = value === undefined ? 'Field required' : reasonOf(issue);
  return badRequest(path.length > 0 ? `${path.join('.')}: ${reason}` : reason);
});

export function badRequest(message: string): ApiError {
  return new ApiError(400, message);
}

/** Adds the types of blocks to the path, as in `content.0.tool_use.id`. */
function follow(body: unknown, keys: PropertyKey[]): { path: string[]; value: unknown } {
  const path: string[] = [];
  const inside = (value: unknown, key: PropertyKey) => Object(value)[key] as unknown;
  let value = body;
  for (const [at, key] of keys.entries()) {
    value = inside(value, key);
    path.push(String(key));
    const type = inside(value, 'type');
    if (typeof type === 'string' && at < keys.length - 1 && keys[at + 1] !== 'type') path.push(type);
  }
  return { path, value };
}

const nouns: Record<string, string> = {
  int: 'integer',
  array: 'list',
  object: 'dictionary',
  record: 'dictionary',
};

function reasonOf(issue: z.core.$ZodIssue): string {
  const limit = issue.message.startsWith('Too');
  switch (issue.code) {
    case 'unrecognized_keys':
      return 'Extra inputs are not permitted';
    case 'invalid_type':
      return `Input should be a valid ${nouns[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `Input should be ${issue.values.map(value => `'${String(value)}'`).join(' or ')}`;
    case 'invalid_union':
      return 'Input tag does not match any of the expected tags';
    case 'too_small':
      return limit ? `Input should be greater than or equal to ${issue.minimum}` : issue.message;
    case 'too_big':
      return limit ? `Input should be less than or equal to ${issue.maximum}` : issue.message;
    default:
      return issue.message;
  }
}
