import { type PathRoute, routes } from '@model-gateway/ingress';

/** Renders the route table as a HAProxy map: a regular expression of method and path, and the service. */
export function routesMap(): string {
  return `# Made from shared/ingress/src/serve/routes.ts: UPDATE=1 npm test -- deploy/edge\n${routes.map(line).join('')}`;
}

function line({ method, path, service }: PathRoute): string {
  const methods = method === 'GET' ? '(GET|HEAD)' : (method ?? '[^/]+');
  return `^${methods}${path.source.replace(/^\^/, '')} ${service}\n`;
}
