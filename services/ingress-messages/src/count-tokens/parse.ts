import type { IncomingHttpHeaders } from 'node:http';
import type { LocalRequest } from '@model-gateway/ingress';
import { messagesCountRequest } from '@model-gateway/wire';
import { conversation } from '../conversation/parse.ts';
import { isForeignHistory } from '../foreign/parse.ts';
import { check } from '../invalid.ts';
import { refuseThread } from '../thread.ts';
import { toolSettings } from '../tools/parse.ts';
import { forwardedHeaders } from '../version.ts';
import { estimateTokens } from './estimate.ts';
import { render } from './render.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>, headers: IncomingHttpHeaders): LocalRequest {
  const data = check(messagesCountRequest, body);
  refuseThread(data);
  return {
    model: data.model,
    headers: forwardedHeaders(headers),
    foreign: isForeignHistory(data),
    async answer() {
      const { tools = [] } = toolSettings(data);
      return render(await estimateTokens(conversation(data), tools));
    },
  };
}
