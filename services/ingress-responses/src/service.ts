import { announceCancelled, followCancelled, WorkQueue } from '@model-gateway/bus';
import { duration } from '@model-gateway/canonical';
import { type IngressConfig, ingressConfig, Sockets, startIngress } from '@model-gateway/ingress';
import type { Running, Service, ServiceContext } from '@model-gateway/service';
import type { z } from 'zod';
import { Runner } from './background/runner.ts';
import { endpoints, keptEndpoints } from './endpoints/endpoints.ts';
import type { ResponseServices } from './store/response-services.ts';
import { Store } from './store/store.ts';
import { webSocket } from './web-socket/web-socket.ts';

const config = ingressConfig.extend({
  /** The time for which a response is kept. */
  GATEWAY_RESPONSES_TTL: duration.prefault('24h'),
  /** How long a client's WebSocket may be open. */
  GATEWAY_SOCKET_LIMIT: duration.prefault('60m'),
});
/** Responses in the background that one process answers at once. */
export const together = 64;

type Config = IngressConfig & z.infer<typeof config>;

/** Responses, which are kept unless they are not to be. */
export const ingressResponses: Service<Config> = { name: 'ingress-responses', config, start };

async function start(context: ServiceContext, settings: Config): Promise<Running> {
  const bus = await context.bus();
  const store = await Store.open(bus, { ttlMs: settings.GATEWAY_RESPONSES_TTL });
  const warn = (error: unknown) => context.log.warn({ err: error }, 'a response could not be kept');
  const queue = new WorkQueue(bus, {
    together,
    run: job => runner.run(job),
    failed: error => context.log.warn({ err: error }, 'background responses wait'),
  });
  const writing = new Set<Promise<unknown>>();
  const shelf: ResponseServices = {
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
  const runner = new Runner(shelf, () => ingress);
  const ingress = await startIngress(
    context,
    settings,
    endpoints(shelf),
    keptEndpoints(shelf, key => announceCancelled(bus, key)),
  );
  const sockets = new Sockets(webSocket(shelf, ingress, settings.GATEWAY_SOCKET_LIMIT), ingress);
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
