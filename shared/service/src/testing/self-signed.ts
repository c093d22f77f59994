import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateFiles } from '../certificate.ts';

/**
 * Creates a self-signed certificate for `localhost` and 127.0.0.1 with openssl, since Node cannot. With `days` below zero it has ended.
 */
export function selfSigned(name = 'localhost', days = 2): CertificateFiles & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const nameOptions = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const request = join(folder, 'request.pem');
  const run = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  run('req', '-new', ...keyOptions, ...nameOptions, '-keyout', files.key, '-out', request);
  const signed = ['-req', '-in', request, '-signkey', files.key, '-copy_extensions', 'copy'];
  run('x509', ...signed, '-days', String(days), '-out', files.cert);
  return { ...files, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
