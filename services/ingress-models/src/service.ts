import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, toGatewayError } from '@model-gateway/canonical';
import { identify, openParts, renderChatError, sendError } from '@model-gateway/ingress';
import type { Running, Service, ServiceContext } from '@model-gateway/service';
import express from 'express';
import { z } from 'zod';
import { answerModels } from './models/endpoint.ts';

const config = z.object({});

/** Tells clients which models there are. */
export const ingressModels: Service<z.infer<typeof config>> = { name: 'ingress-models', config, start };

async function start({ bus, log }: ServiceContext): Promise<Running> {
  const parts = await openParts(await bus());
  const router = express.Router({ caseSensitive: true, strict: true });
  const refuse = (response: ServerResponse, error: GatewayError) =>
    sendError(response, renderChatError(error));
  router.get(['/v1/models', '/v1/models/*name'], (request: IncomingMessage, response: ServerResponse) => {
    const requestId = identify(response);
    try {
      answerModels(request, response, parts);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.kind === 'internal') log.error({ requestId, err: error.cause }, 'failed');
      refuse(response, error);
    }
  });
  return {
    handle(request, response) {
      router(request as express.Request, response as express.Response, () => {
        identify(response);
        refuse(
          response,
          new GatewayError('not-found', `Unknown request URL: ${request.url}.`, { code: 'unknown_url' }),
        );
      });
    },
  };
}
