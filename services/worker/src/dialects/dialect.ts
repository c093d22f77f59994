import type { Envelope, GatewayError, GenerateEvent, WireFormat } from '@model-gateway/canonical';

/** What a dialect needs to know in order to write a request. */
export interface EncodeInput {
  envelope: Envelope;
  /** The client's own text, in the envelope's format. */
  body: Buffer;
  /** The model's name at the upstream. */
  model: string;
  /** Fields that the model's targets do not take. */
  drop: readonly string[];
}

/** A request as it goes upstream, the credential aside. */
export interface UpstreamRequest {
  /** After the provider's base URL. */
  path: string;
  body: Buffer;
}

/** Turns what an upstream sends, in whatever pieces it comes, into events; the last one is `finish` or `error`. */
export interface Decoder {
  read(bytes: Buffer): GenerateEvent[];
  /** The upstream ended its answer in good order. */
  end(): GenerateEvent[];
}

/** A refusal: what an upstream sent in place of an answer. */
export interface UpstreamRefusal {
  provider: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** How to ask an upstream of one wire format to generate. */
export interface Dialect {
  format: WireFormat;
  encode(input: EncodeInput): UpstreamRequest;
  decodeStream(input: EncodeInput): Decoder;
  decodeWhole(input: EncodeInput): Decoder;
  decodeRefusal(refusal: UpstreamRefusal): GatewayError;
}
