import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateFiles } from '../certificate.ts';

/** A certificate for `localhost` and 127.0.0.1 that vouches for itself. Node reads certificates and writes none: openssl does. */
export function selfSigned(name = 'localhost'): CertificateFiles & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const what = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const whose = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...what, ...whose, '-keyout', files.key, '-out', files.cert], {
    stdio: 'pipe',
  });
  return { ...files, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
