import { readComposeFile } from './compose-file.ts';

/** The image of a service in docker-compose.yml, for tests that run it alone. */
export function composeImage(service: 'nats' | 'postgres'): string {
  const { services } = readComposeFile();
  return (services[service] as { image: string }).image;
}
