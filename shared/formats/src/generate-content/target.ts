import { GatewayError } from '@model-gateway/canonical';
import { checkModelName } from '../client/invalid.ts';

/** The model and framing in the URL of a request. */
export interface Target {
  /** The model name of the request, decoded. */
  model: string;
  /** True if a stream uses server-sent events; else it is one JSON array. */
  sse: boolean;
}

/**
 * Returns the paths of a method for all API versions. A model name may contain `/`, `:` and `%2F`. Some
 * clients omit `models/` before a name with a `/`.
 */
export function pathOf(method: string): { path: string; pattern: RegExp } {
  return {
    path: `/v1beta/models/{model}:${method}`,
    pattern: new RegExp(`^/v1(?:alpha|beta)?/.+:${method}$`),
  };
}

/** Parses `/v1beta/models/{model}:{method}?alt=sse`. @throws GatewayError of kind `invalid-request` */
export function readTarget(url: string): Target {
  const [path = ''] = url.split('?');
  const name = /^\/v1(?:alpha|beta)?\/(?:models\/)?(.+):[^:]*$/.exec(path)?.[1] ?? '';
  const query = queryOf(url);
  // Clients with gRPC transcoding send `$alt=json;enum-encoding=int`.
  const alt = query.get('alt') || query.get('$alt')?.split(';')[0] || 'json';
  if (alt !== 'json' && alt !== 'sse')
    throw new GatewayError(
      'invalid-request',
      `Invalid value for 'alt': expected json or sse, but got ${alt.slice(0, 20)}.`,
      {
        param: 'alt',
      },
    );
  return { model: checkModelName(decoded(name)), sse: alt === 'sse' };
}

/** True for a stream that is one JSON array. Its errors are arrays, too. */
export function isArray(url: string): boolean {
  const query = queryOf(url);
  const alt = query.get('alt') || query.get('$alt')?.split(';')[0];
  return (url.split('?')[0] ?? '').endsWith(':streamGenerateContent') && alt !== 'sse';
}

export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? '');
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (cause) {
    const message = "Invalid value for 'model': malformed percent-encoding.";
    throw new GatewayError('invalid-request', message, { param: 'model' }, { cause });
  }
}
