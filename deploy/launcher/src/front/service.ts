import type { RequestListener } from 'node:http';
import { consoleService } from '@model-gateway/console';
import { byRoute, identify, matchRoute } from '@model-gateway/ingress';
import { ingressAudio } from '@model-gateway/ingress-audio';
import { ingressChat } from '@model-gateway/ingress-chat';
import { ingressEmbeddings } from '@model-gateway/ingress-embeddings';
import { ingressGenerateContent } from '@model-gateway/ingress-generate-content';
import { ingressImages } from '@model-gateway/ingress-images';
import { ingressMessages } from '@model-gateway/ingress-messages';
import { ingressModels } from '@model-gateway/ingress-models';
import { ingressResponses } from '@model-gateway/ingress-responses';
import { realtime } from '@model-gateway/realtime';
import { healthRoutes, type Running, type Service } from '@model-gateway/service';
import { proxyTo } from './proxy.ts';

/** The services of this process, by their names in the route table. */
const services = {
  'ingress-chat': ingressChat,
  'ingress-messages': ingressMessages,
  'ingress-generate-content': ingressGenerateContent,
  'ingress-responses': ingressResponses,
  'ingress-embeddings': ingressEmbeddings,
  'ingress-images': ingressImages,
  'ingress-audio': ingressAudio,
  'ingress-models': ingressModels,
  realtime,
  console: consoleService,
};

const serviceSettings = Object.values(services).flatMap(({ settings }) => settings);

/** Runs every ingress, realtime and the console on one port, in one process, by the route table. */
export const front: Service<'CONTROL_URL' | (typeof serviceSettings)[number]> = {
  name: 'front',
  settings: ['CONTROL_URL', ...serviceSettings],
  async start(context, settings) {
    const started = Object.entries(services).map(
      async ([name, service]): Promise<[string, Running]> => [name, await service.start(context, settings)],
    );
    const named = Object.fromEntries(await Promise.all(started)) as Record<keyof typeof services, Running>;
    const parts = Object.values(named);
    const handlers = Object.entries(named).map(([name, part]) => [name, handleOf(part)]);
    const all = (read: (part: Running) => string[] | undefined) => () => [
      ...new Set(parts.flatMap(part => read(part) ?? [])),
    ];
    const problems = all(part => part.problems?.());
    const notices = all(part => part.notices?.());
    return {
      upgrade(request, socket, head) {
        const path = (request.url ?? '/').replace(/\?.*$/s, '');
        const service = matchRoute('GET', path);
        const upgrade = service && service in named && named[service as keyof typeof named].upgrade;
        if (upgrade) return upgrade(request, socket, head);
        socket.once('finish', () => socket.destroy());
        socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      },
      handle: byRoute(
        {
          ...Object.fromEntries(handlers),
          control: proxyTo(settings.CONTROL_URL, context.clientAddress),
          edge: identified(healthRoutes(problems, notices)),
        },
        handleOf(named['ingress-chat']),
      ),
      problems,
      notices,
      drain: async signal => void (await Promise.all(parts.map(part => part.drain?.(signal)))),
      close: async () => void (await Promise.all(parts.map(part => part.close?.()))),
    };
  },
};

function identified(handle: RequestListener): RequestListener {
  return (request, response) => {
    identify(response);
    handle(request, response);
  };
}

function handleOf({ handle }: Running): RequestListener {
  if (!handle) throw new Error('a service of the front has no request handler');
  return handle;
}
