import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const file = new URL('../../docker-compose.yml', import.meta.url);

/** The image of a service in docker-compose.yml, for tests that run it alone. */
export function composeImage(service: 'nats' | 'postgres'): string {
  const { services }: { services: Record<string, { image: string }> } = parse(readFileSync(file, 'utf8'));
  return (services[service] as { image: string }).image;
}
