import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { hashSecret } from '@model-gateway/access';
import { estimateInput, GatewayError, mediaPlacesIn } from '@model-gateway/canonical';
import type { GatewayRequest, ParsedOperation } from '@model-gateway/formats/client';
import {
  ambiguousKey,
  type ExceededBound,
  isJsonObject,
  type KnownFields,
  parseInSteps,
  scanJson,
  spliceTopLevel,
  type Turn,
} from '@model-gateway/json';
import { checkContentType, isForm, nextTurn } from '@model-gateway/service';
import type { Admitted } from '../admit/admit.ts';
import type { Endpoint, IncomingRequest, PreparedRequest } from '../answer/endpoint.ts';
import type { ResponseSink } from '../answer/response-sink.ts';
import type { ClientBody, ReceivedForm } from '../form/received.ts';
import type { IngressDeps } from '../process/deps.ts';
import { deploymentField, deploymentOf } from '../process/served-path.ts';
import { type BodyLimits, readBody } from './body.ts';
import { readForm, refuseAmbiguous } from './read-form.ts';

/** The bounds of bodies. */
export interface ReadLimits {
  body: BodyLimits;
  /** The bounds of a body that is a form. */
  upload: BodyLimits;
}

/** A request whose body was received. */
export interface ReceivedRequest extends Pick<IncomingRequest, 'headers' | 'url' | 'trace'> {
  /** Returns the hash of the token's secret. */
  tokenHash(): string;
  /** The token's secret, if it is known. */
  secret?: string;
  body: Buffer | ReceivedForm;
}

/** A request whose body was parsed and validated. */
interface ReadRequest {
  request: GatewayRequest;
  body: ClientBody;
  /** An estimate of the tokens of its input; 0 for a form, whose files say nothing of their tokens. */
  input: number;
  prepared: PreparedRequest | undefined;
}

/** Receives a request over HTTP. Checks in this order: headers, content type, size. */
export async function receive(
  endpoint: Endpoint,
  { request, secret }: { request: IncomingMessage; secret: string },
  admitted: Admitted,
  deps: IngressDeps,
  limits: ReadLimits,
): Promise<ReceivedRequest> {
  const { headers, url = '/' } = request;
  // Node would keep them until the answer ends, beside the headers that it has read from them.
  request.rawHeaders = [];
  endpoint.checkHeaders?.(headers);
  checkContentType(headers, endpoint.contentTypes ?? ['application/json']);
  const received = { headers, url, secret, tokenHash: () => hashSecret(secret) };
  if (endpoint.parseForm && isForm(headers))
    return { ...received, body: await receiveForm(request, admitted, deps, limits) };
  const { share } = admitted;
  const body = await readBody(request, limits.body, share);
  share.keep(body);
  return { ...received, body };
}

/** Receives an upload, which may take long enough for the token to be revoked meanwhile. */
async function receiveForm(
  request: IncomingMessage,
  admitted: Admitted,
  { spool, spooled }: IngressDeps,
  { upload, body }: ReadLimits,
): Promise<ReceivedForm> {
  const room = { folder: spool, memory: admitted.share, disk: spooled.share(admitted.token.id) };
  const over = new AbortController();
  admitted.endForRevocation = over.abort.bind(over);
  admitted.form = await readForm(request, { upload, memoryBytes: body.bytes }, room, over.signal);
  return admitted.form;
}

/**
 * Parses and validates a request. A large body is read in steps.
 * @throws GatewayError of kind `invalid-request` for invalid JSON, an exceeded bound, or an invalid field
 */
export async function read(
  endpoint: Endpoint,
  { body: sent, ...received }: ReceivedRequest,
  admitted: Admitted,
  requestId: string,
  sink: ResponseSink,
): Promise<ReadRequest> {
  const { token, share } = admitted;
  if (!Buffer.isBuffer(sent)) return readUpload(endpoint, received, sent, token.id);
  const { value, weight } = await readObject(sent, endpoint.fields, token.id);
  const { headers, url, tokenHash, trace } = received;
  const named = withDeployment(sent, value, url);
  const body = endpoint.amend?.(value, named) ?? named;
  const prepared = await endpoint.prepare?.(
    value,
    {
      ...{ token, headers, url, text: body, tokenHash: tokenHash(), trace },
      share: () => share.part(),
      signal: () => signalOf(admitted, sink),
    },
    requestId,
  );
  const text = prepared?.text ?? body;
  share.take(Math.max(0, text.length - sent.length));
  const parsed = prepared?.body ?? value;
  const request = endpoint.parse(parsed, headers, text, url);
  const turn = () => nextTurn(weight, token.id);
  await turn();
  const input = estimateInput(parsed, mediaPlacesIn(endpoint.format));
  return { request, body: { type: 'text', text, turn }, input, prepared };
}

/** Names the model of Azure's paths in a body, in place of the one that it may name, as Azure does. Returns the body's text. */
function withDeployment(text: Buffer, value: Record<string, unknown>, url: string): Buffer {
  const model = url.includes(deploymentField) ? deploymentOf(url) : undefined;
  if (model === undefined || value.model === model) return text;
  value.model = model;
  return spliceTopLevel(text, new Map([['model', JSON.stringify(model)]]));
}

async function readUpload(
  endpoint: Endpoint,
  { headers, url }: Pick<ReceivedRequest, 'headers' | 'url'>,
  form: ReceivedForm,
  tokenId: string,
): Promise<ReadRequest> {
  refuseAmbiguous(form, endpoint.fields);
  const model = deploymentOf(url);
  if (model !== undefined) form.set('model', model);
  const request = (await endpoint.parseForm?.(form, headers)) as ParsedOperation;
  const size = form.files.reduce((sum, file) => sum + file.size, 0);
  const body: ClientBody = { type: 'form', form, turn: () => nextTurn(size, tokenId) };
  return { request, body, input: 0, prepared: undefined };
}

/** Weight of one JSON value in addition to its bytes, since many small values are as expensive as a long text. */
const valueWeight = 64;

/** A parsed body. */
interface ReadObject {
  value: Record<string, unknown>;
  /** The weight of each further step over the body, for `nextTurn`. */
  weight: number;
}

/**
 * Parses a request body that must be a JSON object; `fields` are the top-level fields that the endpoint reads. Parses
 * in steps, scheduled fairly between owners.
 * @throws GatewayError `invalid-request` for any other body, for one that exceeds a JSON limit, and for one with an
 * ambiguous top-level key
 */
export async function readObject(body: Buffer, fields: KnownFields, owner: string): Promise<ReadObject> {
  await nextTurn(body.length, owner, 'first');
  if (!isUtf8(body)) throw new GatewayError('invalid-request', 'The request body is not valid UTF-8.');
  // Decoded once: the string of a large body is as large as the body.
  const text = body.toString('utf8');
  await nextTurn(body.length, owner);
  const { exceeded, keys, values } = scanJson(text);
  if (exceeded) throw overBound(exceeded);
  const weight = body.length + valueWeight * values;
  await nextTurn(weight, owner);
  const value = await parseJson(text, () => nextTurn(weight, owner));
  if (!isJsonObject(value)) {
    throw new GatewayError('invalid-request', 'The request body must be a JSON object.');
  }
  const ambiguous = ambiguousKey(keys, fields);
  if (ambiguous) {
    const { key: param, words } = ambiguous;
    throw new GatewayError('invalid-request', `The request body ${words}.`, { param, code: 'invalid_value' });
  }
  await nextTurn(weight, owner);
  return { value, weight };
}

/** Parses as {@link readObject} does, and returns only the value. */
export async function parseObject(
  body: Buffer,
  fields: KnownFields,
  owner = '',
): Promise<Record<string, unknown>> {
  return (await readObject(body, fields, owner)).value;
}

async function parseJson(text: string, turn: Turn): Promise<unknown> {
  try {
    return await parseInSteps(text, turn);
  } catch (cause) {
    throw new GatewayError('invalid-request', 'The request body is not valid JSON.', {}, { cause });
  }
}

function overBound({ bound, words, member }: ExceededBound): GatewayError {
  const where = member === undefined ? 'The request body' : `'${member}' in the request body`;
  return new GatewayError('invalid-request', `${where} ${words}.`, {
    ...(member !== undefined && { param: member }),
    ...(bound === 'items' && { code: 'array_above_max_length' }),
  });
}

/** Returns a signal that aborts when the client of `sink` leaves, or the request that was `admitted` is ended. */
function signalOf(admitted: Pick<Admitted, 'refusal' | 'endForRevocation'>, sink: ResponseSink): AbortSignal {
  const over = new AbortController();
  admitted.endForRevocation = over.abort.bind(over);
  if (admitted.refusal) over.abort(admitted.refusal);
  sink.on('close', () => over.abort(new GatewayError('cancelled', 'The client left.')));
  return over.signal;
}
