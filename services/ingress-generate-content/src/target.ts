import { GatewayError } from '@model-gateway/canonical';
import { checkModelName } from '@model-gateway/ingress';

/** What the URL of a request says beside its method. */
export interface Target {
  /** As the client named it, decoded. */
  model: string;
  /** Whether a stream is one of server-sent events; else it is one JSON array. */
  sse: boolean;
}

/**
 * The paths of a method, under each version. The model's name may hold `/`, `:` and `%2F`; before one with a `/` some
 * clients leave `models/` out.
 */
export function pathOf(method: string): { path: string; pattern: RegExp } {
  return {
    path: `/v1beta/models/{model}:${method}`,
    pattern: new RegExp(`^/v1(?:alpha|beta)?/.+:${method}$`),
  };
}

/** Reads `/v1beta/models/{model}:{method}?alt=sse`. @throws GatewayError of kind `invalid-request` */
export function readTarget(url: string): Target {
  const [path = ''] = url.split('?');
  const name = /^\/v1(?:alpha|beta)?\/(?:models\/)?(.+):[^:]*$/.exec(path)?.[1] ?? '';
  const query = queryOf(url);
  // Clients that come by way of gRPC say `$alt=json;enum-encoding=int`.
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

/** Whether it is a stream that comes as one array, whose errors are in an array, too. */
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
    const message = "Invalid value for 'model': its percent-encoding cannot be read.";
    throw new GatewayError('invalid-request', message, { param: 'model' }, { cause });
  }
}
