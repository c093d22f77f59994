import type { Agent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { Effort, ErrorKind, Operation, WireFormat } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import { type ModelList, openaiModels } from './model-list.ts';

/** Formats by operation, the preferred one first. */
export type FormatsByOperation = Partial<Record<Operation, readonly [WireFormat, ...WireFormat[]]>>;

/** The gateway's knowledge about a kind of provider. */
export interface ProviderProfile {
  /** Name for people, such as `Mistral`; that of the kind if absent. */
  label?: string;
  /** Addresses of the pages and of the code that the facts of this kind come from. */
  sources?: readonly string[];
  /** The tests with a real server of the vendor, for people: a phrase in Markdown. */
  realServer?: string;
  /**
   * Default base URL, as in the vendor's SDK; undefined if each provider has its own. An option's name in braces stands for its
   * value.
   */
  baseUrl: string | undefined;
  /** All formats of the kind. */
  formats: FormatsByOperation;
  /** Returns the formats of one model, for a kind whose models differ in them. */
  formatsOf?(model: string): FormatsByOperation;
  /** Settings that only this kind has, by name. None is a secret: the secret of a provider is its API key. */
  options?: Record<string, ProviderOption>;
  /** True if a provider may choose its formats of generate, by `api` in its configuration. */
  choosesFormats?: boolean;
  /** The ways in which requests of a format differ from the format's own, by format. */
  differences?: Partial<Record<WireFormat, FormatDifferences>>;
  /** The most inputs of one request, or documents to rank, for operations with a limit. */
  maxInputs?: Partial<Record<Operation, number>>;
  /** Returns the limits of one model, for a kind whose models differ in them. */
  maxInputsOf?(model: string): Partial<Record<Operation, number>>;
  /**
   * The value of `gen_ai.provider.name` in traces, if it is not the kind:
   * https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/#gen-ai-provider-name
   */
  telemetryName?: string;
  /** True for the vendor of the format, which supports its newest features. */
  original?: boolean;
  /** True for servers that accept -1 for no token limit, as llama.cpp and Ollama do. */
  acceptsMinusOne?: boolean;
  /** Time to the first token, in milliseconds, of servers that load a model first or read a long prompt slowly; 60 s if absent. */
  firstTokenMs?: number;
  /** True for servers that continue a last message of the assistant. */
  prefills?: boolean;
  /**
   * The request that lists its models, or `none` if it has no list. If absent, that of OpenAI for kinds that speak chat, and none for
   * others.
   */
  modelList?: ModelList | 'none';
  /** Environment variable of the API key, in which `npm start` looks for it. */
  keyVariable?: string;
  /** Returns the words that follow a base URL which the kind cannot have, such as "must have no query". */
  refusesBaseUrl?(baseUrl: string): string | undefined;
  /** True if a model has a realtime API; where absent, sessions are emulated unless the catalog says otherwise. */
  hasRealtime?(model: string): boolean;
  /**
   * Prepares requests to a provider. Called again only if its address or credential changes.
   * @throws GatewayError of kind `upstream` if it cannot connect
   */
  connect(access: ProviderAccess): Connection | Promise<Connection>;
}

/** Returns the request that lists the models of a kind; undefined if it has no list. */
export function modelListOf({ modelList, formats }: Pick<ProviderProfile, 'modelList' | 'formats'>) {
  const usual = formats.generate?.includes('chat') ? openaiModels : 'none';
  const list = modelList ?? usual;
  return list === 'none' ? undefined : list;
}

/** A setting that only one kind of provider has, such as a region. Its value is one line of text. */
export interface ProviderOption {
  /** For the documentation: a phrase in Markdown. */
  description: string;
  required?: true;
  /** Environment variable of the value, in which `npm start` looks for it. */
  variable?: string;
  /** The form of its value, and the words that complete "must be …" if a value has another. */
  form?: { pattern: RegExp; text: string };
}

/** The address of a provider, and the credential for it. */
export interface ProviderAccess {
  /** Without a slash at the end. */
  baseUrl: string;
  /** Undefined if the provider needs none. */
  apiKey: string | undefined;
  /** The provider's values of the options that its kind has. */
  options: Readonly<Record<string, string>>;
  /** The connections to a cloud's token service, by the way of the provider; those of the cloud's SDK if absent. */
  agent?: HttpsAgent | undefined;
  /** The same without TLS, if the addresses in the settings must be public. Metadata servers are asked by others. */
  plainAgent?: Agent | undefined;
  /** The time of tokens and keys that expire; the system's if absent. */
  clock?: Clock;
}

/** Requests to one provider. */
export interface Connection {
  /**
   * Returns the URL of a request: `path` is the dialect's, such as `/chat/completions`; `model`, the upstream's name;
   * `streams` is true if a stream is asked for.
   */
  url(path: string, model: string, streams?: boolean): string;
  /** Returns what settings of the provider add to requests of a dialect's path. */
  additions?(path: string): Additions | undefined;
  /** Returns the headers that authenticate a request. @throws GatewayError of kind `upstream` */
  sign(request: UnsignedRequest): HeaderFields | Promise<HeaderFields>;
  /** Returns what to change if a setting of the provider is why the upstream refused a request. */
  explain?(refusal: Refusal): Advice | undefined;
}

/** Headers and fields that settings of a provider add to a request. */
export interface Additions {
  /** With names in lower case. */
  headers?: HeaderFields;
  /** Top-level fields of a translated body. */
  fields?: Readonly<Record<string, unknown>>;
}

/** A response with an error status. */
export interface Refusal {
  status: number;
  /** The model's name at the upstream. */
  model: string;
  /** The beginning of its body. */
  text: string;
}

/** The error of a refusal, as one sentence that says what to change. It shows no secret. */
interface Advice {
  kind: ErrorKind;
  message: string;
}

/** A refusal that a vendor explains by the provider's settings, and what to change. `S`: the settings that it may be about. */
export interface ExplainedRefusal<S> {
  status: readonly number[];
  text: RegExp;
  /** `upstream` if absent. */
  kind?: Advice['kind'];
  message(refusal: Refusal, settings: S): string;
}

/** Returns what to change in a provider's settings, by the first case that matches a refusal. */
export function adviceFor<S>(
  cases: readonly ExplainedRefusal<S>[],
  refusal: Refusal,
  settings: S,
): Advice | undefined {
  const found = cases.find(({ status, text }) => status.includes(refusal.status) && text.test(refusal.text));
  return found && { kind: found.kind ?? 'upstream', message: found.message(refusal, settings) };
}

export interface UnsignedRequest {
  method: 'GET' | 'POST';
  url: string;
  /** With names in lower case. */
  headers: HeaderFields;
  /** Undefined if the body is streamed, or if there is none. */
  body: Uint8Array | undefined;
}

type HeaderFields = Record<string, string>;

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

/**
 * The ways in which a kind of provider takes a format otherwise than the format's own vendor does. A cloud that hosts a vendor's
 * models has some, too. Each is a fact of one of the
 * kind's sources. A field that the vendor refuses and that changes what an answer says is no entry of `omits`: its refusal
 * reaches the client.
 */
export interface FormatDifferences {
  /** The vendor's names of top-level fields, by the format's. */
  renames?: Readonly<Record<string, string>>;
  /** Top-level fields that the vendor refuses. They are not sent: an answer says the same without them. */
  omits?: readonly string[];
  /** The field of an assistant's turn for its reasoning; null if turns have none; `reasoning_content` if absent. */
  reasoning?: 'reasoning' | null;
  /** The controls of thinking, by model: the first row that fits. The format's own level, passed on as it is, if none does. */
  thinking?: readonly ThinkingControl[];
  /** For chat: true if answers hold `reasoning_details`, which a turn must send back. */
  reasoningDetails?: true;
  /** The form of the ids of tool calls: nine letters and digits. Any form if absent. */
  callIds?: 'nine-characters';
  /** True if turns of the user and the assistant must alternate. */
  alternates?: true;
  /**
   * Top-level fields that the URL says and a body must not have. A count of tokens in generate content, whose `generateContentRequest` is
   * there for the model, then has the request's own fields instead; one in messages keeps its model.
   */
  inUrl?: readonly string[];
  /** For messages: the value of `anthropic_version` in the body that stands for the header `anthropic-version: 2023-06-01`. */
  bodyVersion?: string;
  /** For messages: the place of the client's `anthropic-beta` is the list `anthropic_beta` of the body. Its header if absent. */
  betas?: 'body';
  /** The media type of its streams, if they are not server-sent events but AWS's event stream. */
  streamType?: 'application/vnd.amazon.eventstream';
  /** Fields of the request, or of its last message, that ask for a continuation of a last message of the assistant. */
  continuation?: { request?: Readonly<Record<string, unknown>>; message?: Readonly<Record<string, unknown>> };
}

type Fields = Readonly<Record<string, unknown>>;

/** The control of thinking that some models have at a kind of provider, in one format. */
export interface ThinkingControl {
  /** The models by their names at the upstream; every model that no earlier row names, if absent. */
  models?: RegExp;
  /**
   * Thinking turned off: by top-level fields, or by the level `none`. Null if it cannot be turned off, so that the least is asked
   * for; `always` if the models do not think.
   */
  off: Fields | 'none' | 'always' | null;
  /** Top-level fields that turn thinking on, beside a level. */
  on?: Fields;
  /** The levels that the models take, the least first. */
  levels: readonly Effort[];
  /** The top-level field for a number of tokens, and its bounds. */
  budget?: { field: string; least: number; most: number };
  /** The turns of the assistant in a history that must have reasoning, of which an empty text is enough: those with calls, or all. */
  reasonedTurns?: 'calls' | 'all';
  /** The address of the vendor's document, SDK or server code. */
  source: string;
  /** The month in which the source said so. */
  seen: `${number}-${number}`;
}

/** Returns the control of a model's thinking; undefined if it is that of the format. */
export function thinkingControl(
  differences: { thinking?: readonly ThinkingControl[] } | undefined,
  model: string,
): ThinkingControl | undefined {
  return differences?.thinking?.find(({ models }) => !models || models.test(model));
}

/** OpenAI's open models, at any host. */
export const gptOss: ThinkingControl = {
  models: /gpt-oss/i,
  off: null,
  levels: ['low', 'medium', 'high'],
  source: 'https://github.com/openai/gpt-oss',
  seen: '2026-11',
};

/**
 * Fields of servers that hand them to the model's chat template. Templates have one of two names, and servers leave out the name that a
 * template does not have.
 */
export const templateThinks = (thinks: boolean): Fields => ({
  chat_template_kwargs: { enable_thinking: thinks, thinking: thinks },
});
