import type { IncomingHttpHeaders } from 'node:http';
import type { CountRequest } from '@model-gateway/ingress';
import { messagesCountRequest } from '@model-gateway/wire';
import { conversation } from '../conversation/parse.ts';
import { isForeignHistory } from '../foreign/parse.ts';
import { check } from '../invalid.ts';
import { refuseThread } from '../thread.ts';
import { toolSettings } from '../tools/parse.ts';
import { forwardedHeaders } from '../version.ts';
import { renderCount } from './render.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>, headers: IncomingHttpHeaders): CountRequest {
  const data = check(messagesCountRequest, body);
  refuseThread(data);
  return {
    model: data.model,
    headers: forwardedHeaders(headers),
    foreign: isForeignHistory(data),
    canonical: () => ({ messages: conversation(data), ...toolSettings(data) }),
    renderCount,
  };
}
