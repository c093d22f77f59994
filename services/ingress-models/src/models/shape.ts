import type { IncomingMessage } from 'node:http';
import { headerText, secretsOf, speaksMessages } from '@model-gateway/ingress';

/** The formats of the models list. Their paths overlap, so headers and query distinguish them. */
export type Shape = 'chat' | 'messages' | 'google';

/** A parsed request for models. */
export interface ModelsRequest {
  shape: Shape;
  /** Returns the secrets of the request, of which one is the client's token's. @throws GatewayError for conflicting credentials */
  credentials(): string[];
  /** True if the secret was sent as a Google API key, not as a Bearer token. */
  byKey: boolean;
  query: URLSearchParams;
  /** The requested model, decoded; undefined for the list. */
  name: string | undefined;
}

export function readRequest(request: IncomingMessage): ModelsRequest {
  const [path = '', search = ''] = (request.url ?? '').split(/\?(.*)/s);
  const query = new URLSearchParams(search);
  const generateContentKey = headerText(request, 'x-goog-api-key') ?? queryKey(request, path, query);
  const shape = shapeOf(request, path, generateContentKey);
  return {
    shape,
    credentials: () => secretsOf(request, generateContentKey),
    byKey: generateContentKey !== undefined,
    query,
    name: modelOfPath(path),
  };
}

/**
 * Returns the key in the query, for clients of generate-content only: below `/v1beta`, and below `/v1` for
 * Google's client libraries, which all send `x-goog-api-client`. Other clients must not use it, since proxies
 * log queries.
 */
function queryKey(request: IncomingMessage, path: string, query: URLSearchParams): string | undefined {
  const isGoogle = isBeta(path) || headerText(request, 'x-goog-api-client') !== undefined;
  return (isGoogle && query.get('key')) || undefined;
}

function isBeta(path: string): boolean {
  return path.startsWith('/v1beta/');
}

function shapeOf(request: IncomingMessage, path: string, generateContentKey: string | undefined): Shape {
  if (generateContentKey) return 'google';
  if (speaksMessages(request)) return 'messages';
  return isBeta(path) ? 'google' : 'chat';
}

/** Returns the model name in a path. It may contain `/`, also as `%2F`. */
function modelOfPath(path: string): string | undefined {
  const name = /^\/v1(?:beta)?\/models\/(.+)$/.exec(path)?.[1];
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
