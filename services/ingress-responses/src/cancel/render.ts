import { invalid } from '../invalid.ts';

export function notInBackground(id: string) {
  const message = `Response '${id}' cannot be cancelled: only those that are made with 'background' can.`;
  return invalid('response_id', message, 'invalid_value');
}
