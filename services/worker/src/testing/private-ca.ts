import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type CaFile = 'ca.pem' | 'server.pem' | 'server.key' | 'client.pem' | 'client.key';

/** The PEM files of a CA that nobody trusts by default. */
export interface PrivateCa extends Disposable {
  folder: string;
  path(name: CaFile): string;
  pem(name: CaFile): string;
}

/** Makes a CA, and a certificate of it for a server with these names and one for a client. */
export function privateCa(...hosts: string[]): PrivateCa {
  const folder = mkdtempSync(join(tmpdir(), 'ca-'));
  const at = (name: string) => join(folder, name);
  const run = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  run('req', '-x509', ...key, '-subj', '/CN=ca', '-keyout', at('ca.key'), '-out', at('ca.pem'));
  for (const [name, aliases] of [
    ['server', hosts],
    ['client', ['client']],
  ] as const) {
    const names = aliases.map(alias => `DNS:${alias}`).join(',');
    const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`];
    run('req', '-new', ...key, ...subject, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`));
    const by = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-copy_extensions', 'copy'];
    run('x509', '-req', '-in', at(`${name}.csr`), ...by, '-out', at(`${name}.pem`));
  }
  return {
    folder,
    path: at,
    pem: name => readFileSync(at(name), 'utf8'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
