import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The name in the certificate of the server. */
export const serverName = 'house.internal';

/** Makes `ca.pem`, and `server.pem` and `client.pem` of this CA with their keys, such as `server.key`, in a folder. */
export function makeCertificates(folder: string): void {
  const at = (name: string) => join(folder, name);
  const run = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  run('req', '-x509', ...key, '-subj', '/CN=ca', '-keyout', at('ca.key'), '-out', at('ca.pem'));
  for (const [name, alias] of [
    ['server', `DNS:${serverName}`],
    ['client', 'DNS:client'],
  ] as const) {
    const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${alias}`];
    run('req', '-new', ...key, ...names, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`));
    const by = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-copy_extensions', 'copy'];
    run('x509', '-req', '-in', at(`${name}.csr`), ...by, '-out', at(`${name}.pem`));
  }
}
