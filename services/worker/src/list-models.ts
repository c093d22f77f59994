import { GatewayError, toErrorEvent, toGatewayError } from '@model-gateway/canonical';
import {
  keysOf,
  type ModelsAnswer,
  type ModelsQuestion,
  mostDiscovered,
  testMs,
} from '@model-gateway/catalog';
import { brokenConnection, decodeFailure, ofUpstream } from '@model-gateway/formats/upstream';
import { withoutByteOrderMark } from '@model-gateway/json';
import { type ModelList, type ModelPage, modelListOf, profileOf } from '@model-gateway/providers';
import type { AnswerDeps } from './answer-deps.ts';
import { decompressed } from './body-form.ts';
import { redactError } from './redact.ts';
import { type Address, behindMs, splitUrl, unknownProvider } from './upstreams.ts';

/** The largest page of a list, in bytes. */
const maxPage = 8 * 1024 * 1024;
const maxPages = 50;
/** The most API keys that are tried. */
const mostKeys = 5;
/** The most characters of all names together: the answer must fit into one message. */
const maxCharacters = 200_000;
/** More than a provider may have, since some of them are left out. */
const maxNames = 2 * mostDiscovered;

type ListDeps = Pick<AnswerDeps, 'catalog' | 'clock' | 'upstreams' | 'dispatcher' | 'providerProblems'>;

/** Lists the models of a provider, in the order of its list. It is for no token, and costs nothing. */
export async function listModels(
  { listModels: { provider, version } }: ModelsQuestion,
  deps: ListDeps,
): Promise<ModelsAnswer> {
  try {
    const models = await readList(provider, version, deps);
    deps.providerProblems?.answered(provider);
    return { models, error: null };
  } catch (thrown) {
    const failure = toGatewayError(thrown);
    deps.providerProblems?.failed(provider, failure);
    const { kind, message } = toErrorEvent(failure);
    return { error: { kind, message } };
  }
}

async function readList(
  name: string,
  version: number,
  { catalog, clock, upstreams, dispatcher }: ListDeps,
): Promise<string[]> {
  const record = await catalog.providerOf(name, version, behindMs);
  if (!record) throw unknownProvider(name);
  const list = modelListOf(profileOf(record.kind));
  if (!list)
    throw new GatewayError('upstream', `Providers of the kind '${record.kind}' have no list of models.`);
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(new DOMException('too late', 'TimeoutError')), testMs);
  const keys: (string | undefined)[] = keysOf(record).map(key => key.name);
  let refusal: GatewayError | undefined;
  try {
    for (const key of keys.length > 0 ? keys.slice(0, mostKeys) : [undefined])
      try {
        const address = await upstreams.addressOf(record, key);
        return await readPages(list, address, { dispatcher, signal: late.signal });
      } catch (thrown) {
        refusal = toGatewayError(thrown);
        if (!refusal.details.refusedKey) break;
      }
  } finally {
    clock.clearTimeout(timer);
  }
  throw refusal;
}

/** Reads all pages of a list, by the order of the upstream. */
async function readPages(
  list: ModelList,
  address: Address,
  sending: Pick<PageRequest, 'dispatcher' | 'signal'>,
): Promise<string[]> {
  const names: string[] = [];
  let query = list.query;
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await readPage({ list, address, query, ...sending });
    names.push(...page.names);
    if (!page.next || names.length >= maxNames) break;
    query = page.next;
  }
  return bounded(names);
}

interface PageRequest extends Pick<ListDeps, 'dispatcher'> {
  list: ModelList;
  address: Address;
  query: Record<string, string> | undefined;
  signal: AbortSignal;
}

async function readPage({ list, address, query, dispatcher, signal }: PageRequest): Promise<ModelPage> {
  const { provider, connection } = address;
  const url = withQuery(connection.url(list.path, ''), query);
  const unsigned = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'model-gateway',
    ...list.headers,
    ...address.headers,
  };
  const signature = await connection.sign({ method: 'GET', url, headers: unsigned, body: undefined });
  const headers = { ...unsigned, ...signature, ...address.headers };
  const secrets = { ...splitUrl(url), headers: { ...signature, ...address.headers } };
  try {
    const { dispatcher: own = dispatcher } = address.via ?? {};
    const response = await own.request({ ...splitUrl(url), method: 'GET', headers, signal });
    const { statusCode: status, headers: received } = response;
    const body = await readBody(decompressed(received['content-encoding'], response.body));
    if (status >= 300) throw decodeFailure({ provider, status, headers: received, body });
    const page = list.read(parse(body));
    if (page) return page;
    const message = 'The upstream answered with something else than a list of models.';
    throw new GatewayError('upstream', message, { upstream: { provider, status } });
  } catch (thrown) {
    throw redactError(asFailure(thrown, provider), secrets);
  }
}

function withQuery(url: string, query: Record<string, string> | undefined): string {
  if (!query) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`;
}

/** @throws GatewayError of kind `upstream` if the page is too large */
async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxPage) throw new GatewayError('upstream', 'The list of models is too large.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

function asFailure(thrown: unknown, provider: string): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const upstream = { provider };
  if (thrown instanceof Error && thrown.name === 'TimeoutError') {
    const message = `The upstream did not list its models within ${testMs / 1000} s.`;
    return new GatewayError('timeout', message, { upstream }, { cause: thrown });
  }
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown));
  return ofUpstream(brokenConnection('unopened', cause), upstream);
}

function bounded(names: readonly string[]): string[] {
  const kept: string[] = [];
  let characters = 0;
  for (const name of names) {
    if (name.length > 200) continue;
    characters += name.length;
    if (kept.length === maxNames || characters > maxCharacters) break;
    kept.push(name);
  }
  return kept;
}
