import type {
  Envelope,
  Form,
  GatewayError,
  GenerateEvent,
  GenerateRequest,
  Operation,
  OperationRequest,
  Turn,
  Usage,
  WireFormat,
} from '@model-gateway/canonical';
import type { JsonBody } from './own-text.ts';

/** What a dialect needs to know in order to write a request. */
export interface EncodeInput<R extends OperationRequest = GenerateRequest> {
  envelope: Envelope;
  /** The client's own text, where the upstream speaks its format: it is sent on as it is, and so is the answer. */
  text?: Buffer;
  /** The request in no format, where the upstream speaks another one: its answer comes as a stream. */
  request?: R;
  /** What the client sent as a form, where the upstream speaks its format. */
  form?: SentForm;
  /** The upstream is the vendor whose format it speaks, not one that is compatible with it. */
  original?: boolean;
  /** The model's name at the upstream. */
  model: string;
  /** Fields that the model's targets do not take. */
  drop: readonly string[];
  /** In tokens. */
  limits: { context?: number | undefined; maxOutput?: number | undefined };
}

/** A form, and the bytes of its files one after the other, to be read once. */
export interface SentForm extends Form {
  bytes: AsyncIterable<Uint8Array>;
}

/** A request as it goes upstream, the credential aside. */
export interface UpstreamRequest {
  /** After the provider's base URL. */
  path: string;
  /** Of one in pieces, the headers tell the type and length. */
  body: Buffer | JsonBody | AsyncIterable<Uint8Array>;
  headers?: Record<string, string>;
}

/** Turns what an upstream sends, in whatever pieces it comes, into events; the last one is `finish` or `error`. */
export interface Decoder {
  read(bytes: Buffer): GenerateEvent[];
  /** What `read` gives; where the bytes complete a large event, it comes once that was read in steps. */
  readInSteps?(bytes: Buffer, turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]>;
  /** The upstream ended its answer in good order. */
  end(): GenerateEvent[];
  /** All of the answer is here, but for the mark at its end: nobody needs to wait for that for long. */
  readonly complete?: boolean;
  /** The answer was ended here, and the upstream need not go on. */
  readonly cut?: boolean;
  /** What the upstream has told so far of the tokens used. */
  readonly usage?: Usage | null;
  /** How much text the answer holds so far. */
  readonly characters?: number;
}

/** A failure: what an upstream sent in place of an answer. */
export interface UpstreamFailure {
  provider: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** How to ask an upstream of one wire format, to generate where nothing else is said. */
export interface Dialect<R extends OperationRequest = GenerateRequest> {
  format: WireFormat;
  /** What it can be asked for with the client's own text; where absent, to generate. */
  operations?: readonly Operation[];
  /** How many answers one request can have in translation: as many as are asked for, or one. */
  choices: 'many' | 'one';
  encode(input: EncodeInput<R>): UpstreamRequest;
  /** Of an answer that comes as a stream: `verbatim` events for the client's own text, parts otherwise. */
  decodeStream(input: EncodeInput<R>): Decoder;
  /** Of a whole answer: `verbatim` events for the client's own text. `length` in bytes, where the upstream tells it. */
  decodeWhole(input: EncodeInput<R>, mediaType: string, length?: number): Decoder;
  /** Of a whole answer that came where a stream was asked for, in the events of one; undefined for what is no answer. */
  decodeBody(body: Buffer, input: EncodeInput<R>): GenerateEvent[] | undefined;
  decodeFailure(failure: UpstreamFailure): GatewayError;
}
