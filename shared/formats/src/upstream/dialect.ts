import type {
  Envelope,
  FieldPath,
  Form,
  GatewayError,
  GenerateEvent,
  GenerateRequest,
  OperationRequest,
  Usage,
  WireFormat,
} from '@model-gateway/canonical';
import type { Turn } from '@model-gateway/json';
import type { FormatDifferences } from '@model-gateway/providers';
import type { JsonBody } from './request-body.ts';

/** The client's JSON, for an upstream of the same format: request and response are passed on verbatim. */
interface VerbatimBody {
  body: 'verbatim';
  text: Buffer;
}

/** The canonical request, for an upstream of another format. Its response is translated. */
interface CanonicalBody<R extends OperationRequest = GenerateRequest> {
  body: 'canonical';
  request: R;
}

/** The client's form, for an upstream of the same format. */
export interface FormBody {
  body: 'form';
  form: SentForm;
}

/** The body of a request, by the kind that the route names. */
export type InputBody<R extends OperationRequest = OperationRequest> =
  | VerbatimBody
  | CanonicalBody<R>
  | FormBody;

/** The facts of one upstream request beside its body. */
export interface InputFacts {
  envelope: Envelope;
  /** True if the upstream is the vendor that defines the format, not a compatible one. */
  original?: boolean;
  /** True if the upstream continues a last message of the assistant. */
  prefill?: boolean;
  /** The ways in which the upstream takes the format otherwise than its own vendor does. */
  differences?: FormatDifferences | undefined;
  /** The model's name at the upstream. */
  model: string;
  /** Fields that the model does not accept. */
  drop: readonly string[];
  /** The model's limits, in tokens. */
  limits: { context?: number | undefined; maxOutput?: number | undefined };
}

/** Input of a dialect for one upstream request. */
export type EncodeInput = InputFacts & InputBody;
export type VerbatimInput = InputFacts & VerbatimBody;
export type CanonicalInput<R extends OperationRequest = GenerateRequest> = InputFacts & CanonicalBody<R>;
export type FormInput = InputFacts & FormBody;

/** Input of a dialect that generates: such a request is never a form. */
export type GenerateInput = VerbatimInput | CanonicalInput;

/** A form with the concatenated bytes of its files, which can be read once. */
export interface SentForm extends Form {
  bytes: AsyncIterable<Uint8Array>;
}

/** A request to an upstream, without the credential. */
export interface UpstreamRequest {
  /** Path below the provider's base URL. */
  path: string;
  /** For an iterable, `headers` holds the content type and length. */
  body: Buffer | JsonBody | AsyncIterable<Uint8Array>;
  headers?: Record<string, string>;
}

/** Decodes an upstream's bytes, in pieces of any size, into events. The last event is `finish` or `error`. */
export interface Decoder {
  read(bytes: Buffer): GenerateEvent[];
  /** Same as `read`, but parses a large event in steps and returns a promise for it. */
  readInSteps?(bytes: Buffer, turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]>;
  /** Called when the upstream ended the response without a connection error. */
  end(): GenerateEvent[];
  /** Same as `end`, but parses a large last event in steps and returns a promise for it. */
  endInSteps?(turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]>;
  /** True if only the end marker of the response may be missing; the wait for it can be short. */
  readonly complete?: boolean;
  /** True if a complete response may go on, so that the wait must be longer. */
  readonly mayGoOn?: boolean;
  /** True if the decoder ended the response; the upstream can be stopped. */
  readonly cut?: boolean;
  /** The usage that the upstream has reported so far. */
  readonly usage?: Usage | null;
  /** Characters of text received so far. */
  readonly characters?: number;
  /** Bytes of an unfinished event that it holds. */
  readonly held?: number;
}

/** An upstream format's names of canonical fields. The first name that fits is taken. */
export type UpstreamFields = Readonly<Record<string, FieldPath>>;

/** A failed response of an upstream. */
export interface UpstreamFailure {
  provider: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Encodes requests and decodes responses for upstreams of one wire format. `I`: the input that it takes. */
export interface Dialect<I extends EncodeInput = GenerateInput> {
  format: WireFormat;
  /** The kinds of body that it takes. */
  bodies: readonly I['body'][];
  /** Media types of a streamed response, the usual one first; server-sent events if absent. */
  streamTypes?: readonly [string, ...string[]];
  /** Number of choices that one translated request supports: as many as requested, or one. */
  choices: 'many' | 'one';
  encode(input: I): UpstreamRequest;
  /** Returns the decoder of a streamed response: `verbatim` events for a verbatim request, else parts. */
  decodeStream(input: I): Decoder;
  /** Returns the decoder of a non-streamed response. `length`: the body's bytes, if the upstream sends it. */
  decodeWhole(input: I, mediaType: string, length?: number): Decoder;
  /** Returns the decoder of a stream that was sent instead of a whole response. If absent, such a stream is an error. */
  decodeEvents?(input: I): Decoder;
  /** Decodes a JSON body that was returned instead of a stream; undefined if it is not a response. */
  decodeBody(body: Buffer, input: I): GenerateEvent[] | undefined;
  decodeFailure(failure: UpstreamFailure): GatewayError;
  /** Returns the canonical path of a field that the upstream's errors name; undefined for an unknown one. */
  pathOf?(param: string): string | undefined;
}
