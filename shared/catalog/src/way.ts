import { z } from 'zod';
import { line, secret } from './secret.ts';

const file = z.strictObject({ file: line }, { error: 'must be { file: PATH }' });

/** Certificates for connections to a provider: PEM files of the workers. */
export const tls = z.strictObject({
  /** The certificates of the CAs that the provider's certificate may be from, in place of the public ones. */
  ca: file.optional(),
  /** The client certificate and its key. */
  cert: file.optional(),
  key: file.optional(),
  /** The name that the provider's certificate must have; if absent, the host of its base URL. */
  serverName: line.optional(),
});

const proxyUrl = z
  .string()
  .refine(text => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http:// or https:// URL')
  .refine(
    text => !URL.parse(text)?.username && !URL.parse(text)?.password,
    'must not hold a user name or password: use { url, username, password }',
  );

/** The proxy of a provider: none, its URL, or that with credentials. */
export const proxy = z.union(
  [
    z.literal('none'),
    proxyUrl,
    z.strictObject({ url: proxyUrl, username: line.optional(), password: secret.optional() }),
  ],
  { error: 'must be none, a URL without credentials, or { url, username, password }' },
);
