import { parseLookup } from '../retrieve/parse.ts';

/** The id of the response that is to be forgotten. */
export function parseRemoval(url: string): string {
  return parseLookup(url.replace(/\?.*$/s, '')).id;
}
