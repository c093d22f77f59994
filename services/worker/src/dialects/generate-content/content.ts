import { GatewayError } from '@model-gateway/canonical';

/** A part of a content as sent upstream: one field of data and optionally its signature. */
export interface Part {
  text?: string;
  thought?: boolean;
  inlineData?: Blob;
  fileData?: { mimeType?: string; fileUri: string };
  functionCall?: { id?: string; name: string; args: Record<string, unknown> };
  functionResponse?: FunctionResponse;
  thoughtSignature?: string;
  /** Fields that only this format has. */
  [field: string]: unknown;
}

export interface Blob {
  mimeType: string;
  data: string;
}

export interface FunctionResponse {
  id?: string;
  name: string;
  response: Record<string, unknown>;
  parts?: Part[];
}

/** One turn of the user or the model. */
export interface Content {
  role: 'user' | 'model';
  parts: Part[];
}

/** @throws GatewayError for a request that this format cannot express */
export function refuse(param: string, message: string): never {
  throw new GatewayError('invalid-request', message, { param });
}
