import { EventEmitter } from 'node:events';
import { run } from '../run.ts';

const boom = new Error('boom');
const fail = () => {
  throw boom;
};

/** The callbacks that may throw, by the path of the request that runs one after its answer. */
const callbacks: Record<string, () => unknown> = {
  '/timer': () => setTimeout(fail, 0),
  '/turn': () => setImmediate(fail),
  '/microtask': () => queueMicrotask(fail),
  '/promise': () => void Promise.reject(boom),
  '/listener': () => process.nextTick(() => new EventEmitter().on('event', fail).emit('event')),
  '/error-event': () => process.nextTick(() => new EventEmitter().emit('error', boom)),
  '/signal': () => {
    const controller = new AbortController();
    controller.signal.addEventListener('abort', fail);
    controller.abort();
  },
};

/** A process that sends the same response to every request. */
await run({
  name: 'hello',
  settings: [],
  start: async () => ({
    handle(request, response) {
      response.end('hello');
      callbacks[request.url ?? '']?.();
    },
  }),
});
