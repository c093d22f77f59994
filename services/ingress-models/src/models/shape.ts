import type { IncomingMessage } from 'node:http';
import { apiKeyOrBearer, bearerToken, headerText } from '@model-gateway/ingress';

/** The formats in which models are listed: their paths meet, so what a client sends along tells them apart. */
export type Shape = 'chat' | 'messages' | 'google';

/** A request for models, as its format has it. */
export interface ModelsRequest {
  shape: Shape;
  /** The secret of the client's token. @throws GatewayError for credentials that contradict each other */
  credential(): string | undefined;
  /** Whether that came as a key, and not as a Bearer token. */
  byKey: boolean;
  query: URLSearchParams;
  /** The model that is asked for, decoded; undefined for the list. */
  name: string | undefined;
}

export function readRequest(request: IncomingMessage): ModelsRequest {
  const [path = '', search = ''] = (request.url ?? '').split(/\?(.*)/s);
  const query = new URLSearchParams(search);
  const generateContentKey = headerText(request, 'x-goog-api-key') ?? queryKey(request, path, query);
  const shape = shapeOf(request, path, generateContentKey);
  return {
    shape,
    credential: () => credentialOf(request, shape, generateContentKey),
    byKey: generateContentKey !== undefined,
    query,
    name: modelOfPath(path),
  };
}

/**
 * A key in the query counts where nobody but a client of generate-content asks: below `/v1beta`, and below `/v1` for its
 * own client libraries, which all send `x-goog-api-client`. Proxies log queries, so no other client may learn to send it.
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
  const isMessages = ['anthropic-version', 'vendor-version', 'x-api-key'].some(
    name => request.headers[name] !== undefined,
  );
  if (isMessages) return 'messages';
  return isBeta(path) ? 'google' : 'chat';
}

function credentialOf(
  request: IncomingMessage,
  shape: Shape,
  generateContentKey: string | undefined,
): string | undefined {
  switch (shape) {
    case 'chat':
      return bearerToken(request);
    case 'messages':
      return apiKeyOrBearer(request);
    case 'google':
      return generateContentKey ?? bearerToken(request);
  }
}

/** The name may hold `/`, also as `%2F`. */
function modelOfPath(path: string): string | undefined {
  const name = /^\/v1(?:beta)?\/models\/(.+)$/.exec(path)?.[1];
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
