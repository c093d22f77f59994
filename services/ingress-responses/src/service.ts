import { jobStream } from '@model-gateway/bus';
import { ingressSettings, Sockets, startIngress } from '@model-gateway/ingress';
import type { Running, Service, ServiceContext, Settings } from '@model-gateway/service';
import { WorkQueue } from '@model-gateway/store';
import { Runner } from './background/attempt.ts';
import { endpoints, storedEndpoints } from './endpoints/endpoints.ts';
import { ReadSlots } from './reads/read-slots.ts';
import type { ResponseServices } from './store/response-services.ts';
import { Store } from './store/store.ts';
import { webSocket } from './web-socket/web-socket.ts';

const responsesSettings = [
  ...ingressSettings,
  'GATEWAY_RESPONSES_TTL',
  'GATEWAY_SOCKET_LIMIT',
  'GATEWAY_SOCKET_RATE',
] as const;
type ResponsesSetting = (typeof responsesSettings)[number];
/** The maximum number of background responses that one process runs at once. */
export const together = 64;

/** The ingress of OpenAI's Responses API, which stores responses by default. */
export const ingressResponses: Service<ResponsesSetting> = {
  name: 'ingress-responses',
  settings: responsesSettings,
  start,
};

async function start(context: ServiceContext, settings: Settings<ResponsesSetting>): Promise<Running> {
  const bus = await context.bus();
  const store = await Store.open(bus, { ttlMs: settings.GATEWAY_RESPONSES_TTL });
  const warn = (error: unknown) => context.log.warn({ err: error }, 'a response could not be stored');
  const queue = new WorkQueue(bus, jobStream, {
    together,
    run: job => runner.run(job),
    failed: error => context.log.warn({ err: error }, 'background queue error, retrying'),
  });
  const writing = new Set<Promise<unknown>>();
  const services: ResponseServices = {
    store,
    places: new ReadSlots(bus.clock),
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
    storedEndpoints(services, key => queue.announceCancelled(key)),
  );
  const limits = {
    connectionMs: settings.GATEWAY_SOCKET_LIMIT,
    messagesPerSecond: settings.GATEWAY_SOCKET_RATE,
  };
  const sockets = new Sockets(webSocket(services, ingress, limits), ingress);
  const unfollow = queue.followCancelled(key => runner.cancel(key));
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
