import type {
  Envelope,
  GatewayError,
  GenerateEvent,
  GenerateRequest,
  Operation,
  Usage,
  WireFormat,
} from '@model-gateway/canonical';

/** What a dialect needs to know in order to write a request. */
export interface EncodeInput {
  envelope: Envelope;
  /** The client's own text, where the upstream speaks its format: it is sent on as it is, and so is the answer. */
  text?: Buffer;
  /** The request in no format, where the upstream speaks another one: its answer comes as a stream. */
  request?: GenerateRequest;
  /** The upstream is the vendor whose format it speaks, not one that is compatible with it. */
  original?: boolean;
  /** The model's name at the upstream. */
  model: string;
  /** Fields that the model's targets do not take. */
  drop: readonly string[];
  /** In tokens. */
  limits: { context?: number | undefined; maxOutput?: number | undefined };
}

/** A request as it goes upstream, the credential aside. */
export interface UpstreamRequest {
  /** After the provider's base URL. */
  path: string;
  body: Buffer;
  headers?: Record<string, string>;
}

/** Turns what an upstream sends, in whatever pieces it comes, into events; the last one is `finish` or `error`. */
export interface Decoder {
  read(bytes: Buffer): GenerateEvent[];
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

/** How to ask an upstream of one wire format to generate. */
export interface Dialect {
  format: WireFormat;
  /** What it can be asked for with the client's own text; where absent, to generate. */
  operations?: readonly Operation[];
  /** How many answers one request can have in translation: as many as are asked for, or one. */
  choices: 'many' | 'one';
  encode(input: EncodeInput): UpstreamRequest;
  /** Of an answer that comes as a stream: `verbatim` events for the client's own text, parts otherwise. */
  decodeStream(input: EncodeInput): Decoder;
  /** Of a whole answer, in `verbatim` events. */
  decodeWhole(input: EncodeInput): Decoder;
  /** Of a whole answer that came where a stream was asked for, in the events of one; undefined for what is no answer. */
  decodeBody(body: Buffer, input: EncodeInput): GenerateEvent[] | undefined;
  decodeFailure(failure: UpstreamFailure): GatewayError;
}
