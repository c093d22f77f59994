import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateFiles } from '../certificate.ts';

/** Creates a self-signed certificate for `localhost` and 127.0.0.1 with openssl, since Node cannot. */
export function selfSigned(name = 'localhost'): CertificateFiles & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const nameOptions = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const output = ['-keyout', files.key, '-out', files.cert];
  execFileSync('openssl', ['req', '-x509', ...keyOptions, ...nameOptions, ...output], { stdio: 'pipe' });
  return { ...files, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
