import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const file = new URL('../../docker-compose.yml', import.meta.url);

/** The services and the shared parts of docker-compose.yml, each by its name. */
export interface ComposeFile {
  services: Record<string, { image: string; environment?: Record<string, string | null> }>;
  'x-provider-keys': Record<string, string | null>;
  'x-cloud-keys': Record<string, string | null>;
}

/** Reads docker-compose.yml, which has more aliases than the parser takes of a file that it does not know. */
export function readComposeFile(): ComposeFile {
  return parse(readFileSync(file, 'utf8'), { merge: true, maxAliasCount: -1 });
}
