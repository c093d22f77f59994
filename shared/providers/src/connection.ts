import type { Connection } from './profile.ts';

/** Returns a connection whose paths follow the base URL, and whose credential is in headers that do not change. */
export function fixedConnection(baseUrl: string, headers: Record<string, string>): Connection {
  return { url: path => baseUrl + path, sign: () => headers };
}

/** Returns the header of a bearer token; none without an API key. */
export function bearer(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}

/** Adds a path that is easily forgotten: to a base URL that has no path at all. */
export function withPath(baseUrl: string, path: string): string {
  return new URL(baseUrl).pathname === '/' ? baseUrl + path : baseUrl;
}

/** Removes a path at the end of a base URL that the paths of requests begin with. */
export function withoutPath(baseUrl: string, path: string): string {
  return baseUrl.endsWith(path) ? baseUrl.slice(0, -path.length) : baseUrl;
}
