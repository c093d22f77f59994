import type { GatewayError } from '@model-gateway/canonical';
import type { Framing, RenderedError, Renderer } from '@model-gateway/formats/client';
import type { HeldAnswer } from '../memory/held-answer.ts';
import type { Endpoint } from './endpoint.ts';
import type { OpenAnswers } from './response-sink.ts';

/** The form of a response to a client, and the functions that it calls. */
export interface AnswerOptions {
  /** Checks the response for keep-alives and for a stuck client until it is closed. */
  open: OpenAnswers;
  endpoint: Endpoint;
  /** Returns the renderer of the response. */
  renderer(): Renderer;
  framing?: (() => Framing) | undefined;
  requestId: string;
  stream: boolean;
  /** Reserves what is held of a whole answer; absent for a stream. */
  held?: HeldAnswer | undefined;
  /** The request, which renders an error in the client's format. */
  source: { renderError(error: GatewayError): RenderedError };
  /** Returns credit for events that the client took. */
  consumed(weight: number): void;
  /** Called when the response has ended; `error` if it failed or the client closed the connection. */
  ended(error?: GatewayError): void;
}
