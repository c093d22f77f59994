import type { Namespace } from '../namespace.ts';

/**
 * Ends the service in its container at once, by its debugger, because no signal kills process 1. Closes the
 * debugger first, because the exit would wait for it.
 */
const endService = `
process.kill(1, 'SIGUSR1');
let found;
while (!found) found = await fetch('http://127.0.0.1:9229/json/list').then(r => r.json()).catch(() => undefined);
const socket = new WebSocket(found[0].webSocketDebuggerUrl);
const params = { expression: 'setTimeout(() => process.exit(1), 300)' };
socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
socket.onmessage = () => socket.close();
`;

/** Crashes the process of a service's pod, which Kubernetes starts again. */
export async function crashService(namespace: Namespace, pod: string): Promise<void> {
  await namespace.kubectl(['exec', pod, '--', 'node', '--input-type=module', '-e', endService]).catch(() => {
    // The command may end with the container.
  });
}

/** Crashes a NATS server, which dumps its stacks and exits. */
export async function crashNats(namespace: Namespace, pod: string): Promise<void> {
  await namespace.kubectl(['exec', pod, '--', 'sh', '-c', 'kill -QUIT 1']).catch(() => {});
}
