import type { IncomingMessage, ServerResponse } from 'node:http';
import { toGatewayError } from '@model-gateway/canonical';
import {
  type IngressDepsSetting,
  identify,
  ingressDepsSettings,
  noRoute,
  openIngressDeps,
  routeMethods,
  sendError,
  sendJson,
  toServedPath,
  withCors,
} from '@model-gateway/ingress';
import type { Running, Service, ServiceContext, Settings } from '@model-gateway/service';
import express from 'express';
import { answerModels } from './models/endpoint.ts';
import { renderers } from './models/render.ts';
import { readRequest } from './models/shape.ts';

/** Serves the list of models in all formats. */
export const ingressModels: Service<IngressDepsSetting> = {
  name: 'ingress-models',
  settings: ingressDepsSettings,
  start,
};

/** The paths of this ingress, all for GET. */
export const paths = ['/v1/models', '/v1/models/*name', '/v1beta/models', '/v1beta/models/*name'];

async function start(context: ServiceContext, settings: Settings<IngressDepsSetting>): Promise<Running> {
  const { log } = context;
  const parts = await openIngressDeps(context, settings);
  const router = express.Router({ caseSensitive: true, strict: true });
  /** Sends the result of `body`, or the error that it throws, in the client's format. */
  const respond = (
    request: IncomingMessage,
    response: ServerResponse,
    body: (parsed: ReturnType<typeof readRequest>) => unknown,
  ) => {
    const parsed = readRequest(request);
    const requestId = identify(response, parsed.shape === 'messages' ? 'request-id' : undefined);
    try {
      sendJson(response, 200, body(parsed));
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.kind === 'internal') log.error({ requestId, err: error.cause }, 'failed');
      sendError(response, renderers[parsed.shape].error(error, requestId, parsed));
    }
  };
  router.get(paths, (request: IncomingMessage, response: ServerResponse) =>
    respond(request, response, parsed => answerModels(parsed, parts, parts.clientAddress(request))),
  );
  return {
    handle: withCors(settings.GATEWAY_CORS_ORIGINS, (request, response) => {
      toServedPath(request);
      router(request as express.Request, response as express.Response, () =>
        respond(request, response, () => {
          const path = request.url?.split('?')[0] ?? '/';
          const methods = routeMethods(path);
          if (methods.length > 0) response.setHeader('allow', methods.join(', '));
          throw noRoute(`${request.method} ${path}`, methods);
        }),
      );
    }),
  };
}
