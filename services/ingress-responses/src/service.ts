import { announceCancelled, followCancelled, WorkQueue } from '@model-gateway/bus';
import { duration } from '@model-gateway/canonical';
import { type IngressConfig, ingressConfig, Sockets, startIngress } from '@model-gateway/ingress';
import type { Running, Service, ServiceContext } from '@model-gateway/service';
import type { z } from 'zod';
import { Runner } from './background/runner.ts';
import { endpoints, storedEndpoints } from './endpoints/endpoints.ts';
import type { ResponseServices } from './store/response-services.ts';
import { Store } from './store/store.ts';
import { webSocket } from './web-socket/web-socket.ts';

const config = ingressConfig.extend({
  /** The time to live of a stored response. */
  GATEWAY_RESPONSES_TTL: duration.prefault('24h'),
  /** The time limit of a client's WebSocket. */
  GATEWAY_SOCKET_LIMIT: duration.prefault('60m'),
});
/** The maximum number of background responses that one process runs at once. */
export const together = 64;

type Config = IngressConfig & z.infer<typeof config>;

/** The ingress of OpenAI's Responses API, which stores responses by default. */
export const ingressResponses: Service<Config> = { name: 'ingress-responses', config, start };

async function start(context: ServiceContext, settings: Config): Promise<Running> {
  const bus = await context.bus();
  const store = await Store.open(bus, { ttlMs: settings.GATEWAY_RESPONSES_TTL });
  const warn = (error: unknown) => context.log.warn({ err: error }, 'a response could not be stored');
  const queue = new WorkQueue(bus, {
    together,
    run: job => runner.run(job),
    failed: error => context.log.warn({ err: error }, 'background queue error, retrying'),
  });
  const writing = new Set<Promise<unknown>>();
  const services: ResponseServices = {
    store,
    queue,
    bodyBytes: settings.GATEWAY_BODY_LIMIT,
    keeps: project => ingress.parts.catalog.keepsResponses(project),
    writing(work) {
      const done = work.catch(() => {}).finally(() => writing.delete(done));
      writing.add(done);
    },
    failed: warn,
  };
  const runner = new Runner(services, () => ingress);
  const ingress = await startIngress(
    context,
    settings,
    endpoints(services),
    storedEndpoints(services, key => announceCancelled(bus, key)),
  );
  const sockets = new Sockets(webSocket(services, ingress, settings.GATEWAY_SOCKET_LIMIT), ingress);
  const unfollow = followCancelled(bus, key => runner.cancel(key));
  queue.start();
  return {
    ...ingress,
    notices: () => [...(ingress.notices?.() ?? []), ...(store.problem ? [store.problem] : [])],
    upgrade: (request, socket, head) => sockets.upgrade(request, socket, head),
    drain: () => queue.drain(),
    async close() {
      const stopped = queue.close();
      await ingress.close?.();
      sockets.close();
      await stopped;
      unfollow();
      await Promise.all(writing);
      store.close();
    },
  };
}
