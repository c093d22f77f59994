import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const file = new URL('../../docker-compose.yml', import.meta.url);

/** The image that docker-compose.yml names for a service, for tests that run it by itself. */
export function composeImage(service: 'nats' | 'postgres'): string {
  const { services }: { services: Record<string, { image: string }> } = parse(readFileSync(file, 'utf8'));
  return (services[service] as { image: string }).image;
}
