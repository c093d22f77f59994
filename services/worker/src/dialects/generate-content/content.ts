import { GatewayError } from '@model-gateway/canonical';

/** A piece of a content as it goes upstream: one field of data, and perhaps the signature of this very piece. */
export interface Part {
  text?: string;
  thought?: boolean;
  inlineData?: Blob;
  fileData?: { mimeType?: string; fileUri: string };
  functionCall?: { id?: string; name: string; args: Record<string, unknown> };
  functionResponse?: FunctionResponse;
  thoughtSignature?: string;
  /** Data that only this format has. */
  [own: string]: unknown;
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

/** What one side says. */
export interface Content {
  role: 'user' | 'model';
  parts: Part[];
}

/** A request that this format cannot say. */
export function refuse(param: string, message: string): never {
  throw new GatewayError('invalid-request', message, { param });
}
