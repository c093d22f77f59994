import type { RequestListener } from 'node:http';
import { consoleService } from '@model-gateway/console';
import { identify, matchRoute } from '@model-gateway/ingress';
import { ingressChat } from '@model-gateway/ingress-chat';
import { ingressGenerateContent } from '@model-gateway/ingress-generate-content';
import { ingressMessages } from '@model-gateway/ingress-messages';
import { ingressModels } from '@model-gateway/ingress-models';
import { ingressResponses } from '@model-gateway/ingress-responses';
import { healthRoutes, type Running, type Service } from '@model-gateway/service';
import { z } from 'zod';
import { byRoute } from './by-route.ts';
import { proxyTo } from './proxy.ts';

const services = [
  ingressChat,
  ingressMessages,
  ingressGenerateContent,
  ingressResponses,
  ingressModels,
  consoleService,
];

const config = z
  .object({
    /** Where control answers the admin API: `http://host:port`. */
    CONTROL_URL: z.url(),
  })
  .and(ingressChat.config)
  .and(ingressMessages.config)
  .and(ingressGenerateContent.config)
  .and(ingressResponses.config)
  .and(ingressModels.config)
  .and(consoleService.config);

/** Every ingress and the console on one port, in one process, by the route table. */
export const front: Service<z.infer<typeof config>> = {
  name: 'front',
  config,
  async start(context, config) {
    const parts: Running[] = await Promise.all(services.map(service => service.start(context, config)));
    const [chat, messages, generateContent, responses, models, pages] = parts.map(handleOf) as [
      RequestListener,
      RequestListener,
      RequestListener,
      RequestListener,
      RequestListener,
      RequestListener,
    ];
    const all = (read: (part: Running) => string[] | undefined) => () => [
      ...new Set(parts.flatMap(part => read(part) ?? [])),
    ];
    const problems = all(part => part.problems?.());
    const notices = all(part => part.notices?.());
    const sockets = { 'ingress-responses': parts[services.indexOf(ingressResponses)]?.upgrade };
    return {
      upgrade(request, socket, head) {
        const path = (request.url ?? '/').replace(/\?.*$/s, '');
        const service = matchRoute('GET', path);
        const upgrade = service === 'ingress-responses' ? sockets[service] : undefined;
        if (upgrade) upgrade(request, socket, head);
        else socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      },
      handle: byRoute(
        {
          'ingress-chat': chat,
          'ingress-messages': messages,
          'ingress-generate-content': generateContent,
          'ingress-responses': responses,
          'ingress-models': models,
          console: pages,
          control: proxyTo(config.CONTROL_URL),
          edge: identified(healthRoutes(problems, notices)),
        },
        chat,
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
  if (!handle) throw new Error('a part of the front answers no requests');
  return handle;
}
