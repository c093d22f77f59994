import { isIP } from 'node:net';
import { checkServerIdentity, connect, type DetailedPeerCertificate } from 'node:tls';
import type { Finding } from '@model-gateway/admin-api';
import { findingsOf } from './finding.ts';

/** The longest time for a TLS handshake, in milliseconds. */
const handshakeMs = 5_000;
/** The time before its end in which a certificate should be renewed, in days. */
const renewDays = 14;

const { ok, warning, failed } = findingsOf('certificate');

/** Checks the certificate that clients of an https URL see: its time, its names and its authority. */
export async function checkCertificate(url: URL): Promise<Finding[]> {
  if (url.protocol !== 'https:') return [];
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const seen = await handshake(host, Number(url.port || 443)).catch((error: Error) => error);
  if (seen instanceof Error)
    return [
      failed(`no TLS handshake with ${url.host}: ${seen.message}`, 'Check that TLS ends at this port.'),
    ];
  const { certificate, refused } = seen;
  const [from, to] = [new Date(certificate.valid_from), new Date(certificate.valid_to)];
  const days = (to.getTime() - Date.now()) / 86_400_000;
  const results: Finding[] = [];
  if (days <= 0)
    results.push(
      failed(`the certificate ended at ${to.toISOString()}`, 'Renew it: clients refuse the gateway.'),
    );
  else if (from.getTime() > Date.now())
    results.push(
      failed(`the certificate begins at ${from.toISOString()}`, 'Check the clock of this machine.'),
    );
  else if (days < renewDays)
    results.push(
      warning(`the certificate ends in ${Math.floor(days)} days, at ${to.toISOString()}`, 'Renew it.'),
    );
  const wrongName = checkServerIdentity(host, certificate);
  if (wrongName)
    results.push(failed(`the certificate is for another host: ${wrongName.message}`, `Get one for ${host}.`));
  if (refused && days > 0 && !wrongName)
    results.push(
      failed(
        `the chain of the certificate is not trusted: ${refused}`,
        'Serve the whole chain, or name its authority in NODE_EXTRA_CA_CERTS.',
      ),
    );
  return results.length > 0 ? results : [ok(`the certificate is valid until ${to.toISOString()}`)];
}

interface Seen {
  certificate: DetailedPeerCertificate;
  /** The reason why the certificate is refused; undefined if it is not. */
  refused: string | undefined;
}

function handshake(host: string, port: number): Promise<Seen> {
  const seen = Promise.withResolvers<Seen>();
  // What is wrong with the certificate is the question.
  const socket = connect({
    host,
    port,
    rejectUnauthorized: false,
    ...(isIP(host) === 0 && { servername: host }),
  });
  socket.setTimeout(handshakeMs, () =>
    socket.destroy(new Error(`no answer within ${handshakeMs / 1_000} s`)),
  );
  socket.once('error', seen.reject);
  socket.once('close', () => seen.reject(new Error('the connection was closed')));
  socket.once('secureConnect', () => {
    const refused = socket.authorized ? undefined : String(socket.authorizationError ?? 'it is not trusted');
    seen.resolve({ certificate: socket.getPeerCertificate(true), refused });
    socket.end();
  });
  return seen.promise.finally(() => socket.destroy());
}
