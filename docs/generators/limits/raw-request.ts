import { once } from 'node:events';
import { connect } from 'node:net';
import { listen } from '@model-gateway/service';

/** The status line with which a listener of the gateway answers raw bytes. */
export async function statusLineOf(sent: string): Promise<string> {
  const { url, close } = await listen((_request, response) => response.end(), '127.0.0.1', 0);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.on('error', () => {});
  socket.write(sent);
  const [answer] = (await once(socket, 'data')) as [string];
  socket.destroy();
  await close();
  return answer.split('\r\n', 1)[0] as string;
}
