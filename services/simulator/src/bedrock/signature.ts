import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { ApiError } from '../common/api-error.ts';

/** The only access key that the simulator knows. */
export const accessKey = { id: 'AKIDSIMULATOREXAMPLE', secret: 'the-secret-key-of-the-simulator' } as const;

/** The largest difference of clocks, in milliseconds. */
const maxSkewMs = 5 * 60_000;

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Checks a signature of version 4, or an API key. @throws ApiError as AWS does */
export function checkSignature(request: Request, body: string): void {
  const { authorization } = request.headers;
  if (!authorization) throw refused('MissingAuthenticationTokenException', 'Missing Authentication Token');
  const [, key] = /^Bearer (.+)$/.exec(authorization) ?? [];
  if (key === 'invalid')
    throw refused('AccessDeniedException', 'Authentication failed: Please make sure your API Key is valid.');
  if (key !== undefined) return;
  const [, id, day = '', region = '', service = '', names = '', given = ''] = form.exec(authorization) ?? [];
  if (id === undefined)
    throw refused('IncompleteSignatureException', 'Authorization header has an invalid form.');
  if (id !== accessKey.id)
    throw refused('UnrecognizedClientException', 'The security token included in the request is invalid.');
  if (service !== 'bedrock' || !names.split(';').includes('host'))
    throw refused('InvalidSignatureException', "Credential should be scoped to correct service: 'bedrock'.");
  const time = String(request.headers['x-amz-date'] ?? '');
  if (!time.startsWith(day) || Math.abs(timeOf(time) - Date.now()) > maxSkewMs)
    throw refused(
      'InvalidSignatureException',
      `Signature expired: ${time} is now earlier than the current time.`,
    );
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonicalOf(request, names, body))].join('\n');
  const signing = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${accessKey.secret}`,
  );
  const expected = createHmac('sha256', signing).update(text).digest();
  if (timingSafeEqual(expected, Buffer.from(given, 'hex'))) return;
  throw refused(
    'InvalidSignatureException',
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
  );
}

/** The canonical request: the path is encoded once more, as every service but S3 wants it. */
function canonicalOf({ method, originalUrl, headers }: Request, names: string, body: string): string {
  const [path = '', query = ''] = originalUrl.split('?');
  const listed = names.split(';').map(
    name =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replace(/ +/g, ' ')}\n`,
  );
  const encoded = path
    .split('/')
    .map(segment => encodeURIComponent(segment))
    .join('/');
  return [method, encoded, query, listed.join(''), names, sha256(body)].join('\n');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The time of `20261126T024500Z`, in milliseconds since 1970. */
function timeOf(text: string): number {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  return Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s));
}

function refused(code: string, message: string): ApiError {
  return new ApiError(403, message, code);
}
