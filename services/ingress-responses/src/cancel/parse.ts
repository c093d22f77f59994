import { idOf } from '../retrieve/parse.ts';

/** The id of the response that is to be cancelled. */
export function parseCancellation(url: string): string {
  return idOf(url.replace(/\?.*$/s, ''));
}
