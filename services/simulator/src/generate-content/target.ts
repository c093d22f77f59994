import { ApiError } from '../api-error.ts';

/** The model and the method in a path. */
export interface Target {
  model: string;
  method: string;
  /** True for server-sent events, false for one JSON array. */
  events: boolean;
}

/** Reads `/v1beta/models/{model}:{method}?alt=sse`; a model's name may hold `/` and `:`. @throws ApiError */
export function targetOf(url: string): Target {
  const [path = ''] = url.split('?');
  const [, model, method] = /\/models\/(.+):([^:]*)$/.exec(path) ?? [];
  if (!model || !method) throw new ApiError(404, 'The requested URL was not found on this server.');
  return { model: decoded(model), method, events: queryOf(url).get('alt') === 'sse' };
}

export function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}

/** True for a stream that is one JSON array. Its errors are in an array, too. */
export function inArray(url: string): boolean {
  const [path = ''] = url.split('?');
  return path.endsWith(':streamGenerateContent') && queryOf(url).get('alt') !== 'sse';
}

function decoded(model: string): string {
  try {
    return decodeURIComponent(model);
  } catch {
    throw new ApiError(400, 'The model in the path is not a valid name.');
  }
}

/** The paths of a method, for all models. */
export function googlePath(method: string): RegExp {
  return new RegExp(`^/v1(?:beta|alpha)?/models/.+:${method}$`);
}
