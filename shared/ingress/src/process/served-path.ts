import type { IncomingMessage } from 'node:http';

/** The paths under `/v1`, without its slash, as parts of regular expressions. HAProxy reads them, too. */
export const firstVersion = {
  chat: '(chat\\/\\/?completions|completions)',
  responses: '(responses|conversations)(\\/.*)?',
  messages: 'messages(\\/.*)?',
  models: 'models(\\/.+)?',
  vectors: '(embeddings|rerank|moderations)',
  images: 'images\\/.+',
  audio: 'audio\\/.+',
  realtime: 'realtime(\\/.*)?',
};

/** The same for people, in this order: `images` stands for all paths that begin with it. */
export const namesUnderV1 = Object.values(firstVersion).flatMap(pattern =>
  pattern
    .replace(/\(?\\\/\.[*+](?:\)\?)?|[()]/g, '')
    .replaceAll('\\/\\/?', '/')
    .split('|'),
);

/**
 * Returns what clients put before a path under `/v1`, as a regular expression: `/v1`, nothing or `/v1/v1`, as their base URL has it; the
 * prefixes of Azure (`/openai/v1` and `/openai/deployments/{model}`), of Gemini's API for OpenAI's clients (`/v1beta/openai`) and
 * of vendors' APIs for Anthropic's clients (`/anthropic`). `deployment` matches Azure's part with the model.
 */
export function prefixes(deployment: string): string {
  return `\\/\\/?((v1beta\\/\\/?)?openai\\/\\/?|anthropic\\/\\/?)?(v1\\/\\/?)?(v1\\/\\/?)?(${deployment})?`;
}

const underV1 = new RegExp(
  `^${prefixes('deployments\\/(?<deployment>.+?)\\/')}(?<path>${Object.values(firstVersion).join('|')})\\/*$`,
);
/** Matches the other versions, whose path may follow another one's. */
const otherVersions = /^\/+(?:v1(?:alpha|beta)?\/+){0,2}(?<path>v1(?:alpha|beta)\/.*|v2\/+rerank\/*)$/;

/**
 * Gives a request the path that the gateway serves, if its client wrote another one for it: with another prefix, or with
 * slashes that are doubled or at the end. The model in a path of Azure becomes `deployment` of the query.
 */
export function toServedPath(request: Pick<IncomingMessage, 'url'>): void {
  const { url = '/' } = request;
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const served = servedPath(path);
  if (served === undefined || served.path === path) return;
  const query = mark < 0 ? '' : url.slice(mark);
  const { deployment } = served;
  const model = deployment === undefined ? '' : `${query ? '&' : '?'}${deploymentField}=${deployment}`;
  request.url = served.path + query + model;
}

/** The field of a query by which clients of Azure name the model. */
export const deploymentField = 'deployment';

/** Returns the model that a client of Azure names in the URL; undefined if it names none there. */
export function deploymentOf(url: string): string | undefined {
  const query = new URLSearchParams(/\?(.*)$/s.exec(url)?.[1]);
  return query.getAll(deploymentField).at(-1) || undefined;
}

function servedPath(path: string): { path: string; deployment?: string } | undefined {
  const { path: rest, deployment } = underV1.exec(path)?.groups ?? {};
  if (rest !== undefined) {
    const model = deployment && encodeURIComponent(decoded(deployment.replace(/^\/|\/$/g, '')));
    return { path: `/v1/${singleSlashes(rest)}`, ...(model && { deployment: model }) };
  }
  const other = otherVersions.exec(path)?.groups?.path;
  return other === undefined ? undefined : { path: `/${singleSlashes(other)}` };
}

function singleSlashes(path: string): string {
  return path.replace(/\/{2,}/g, '/').replace(/\/$/, '');
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
