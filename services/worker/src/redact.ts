import { GatewayError } from '@model-gateway/canonical';
import type { Upstream } from './upstreams.ts';

/** What is left of a text that nobody may see. */
const gone = '[redacted]';
/** The most characters of an upstream's message that are looked at. */
const maxRead = 4_000;
/** The most characters of it that are passed on. */
export const maxShown = 2_000;

/** Whose error it is: what it was sent as a credential, and where it is. */
export type Redacted = Pick<Upstream, 'headers' | 'origin'>;

/** An upstream's error as a client may see it: no credential, host, path of a file or stack trace; the rest stays. */
export function redactError(error: GatewayError, upstream: Redacted): GatewayError {
  const { kind, details, cause } = error;
  const message = redact(error.message, upstream);
  const { param, code, said, ...rest } = details;
  const kept = Object.entries({ param, code }).filter(([, text]) => text && redact(text, upstream) === text);
  const words = said === undefined ? {} : { said: redact(said, upstream) };
  return new GatewayError(kind, message, { ...rest, ...words, ...Object.fromEntries(kept) }, { cause });
}

/** A text of an upstream's without what only the gateway may know. */
export function redact(given: string, { headers, origin }: Redacted): string {
  const secrets = secretsOf(headers);
  let text = withoutTrace(beginning(given));
  for (const secret of secrets) text = text.replaceAll(secret, gone);
  text = withoutMasked(text, secrets);
  for (const [pattern, replacement] of patterns) text = text.replace(pattern, replacement);
  const { host, hostname } = new URL(origin);
  // A name of one label may be a word, too: without its port it stays.
  const own = hostname.includes('.') || hostname === 'localhost' ? [host, hostname] : [host];
  for (const name of own) if (name.length > 3) text = text.replaceAll(name, gone);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** As much as is looked at; what it would cut through goes, since half a secret is not known for one. */
function beginning(text: string): string {
  return text.length > maxRead ? text.slice(0, maxRead).replace(/\S{1,200}$/, '') : text;
}

/** Each kind of text that is taken out wherever it stands. All of them are linear in the text's length, or nearly. */
const patterns: [RegExp, string][] = [
  // Addresses, in the order of what they are called by: whole ones first.
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`)\]}]*[^\s"'<>`)\]}.,;:!?]/gi, gone],
  [
    /\b(ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(?:HOST|NET)UNREACH|EPIPE|EPROTO) +[\w.:[\]-]*[\w\]]/g,
    `$1 ${gone}`,
  ],
  [/\b(host(?:name)?)(=|: ?)["']?[\w.-]*\w["']?/gi, `$1$2${gone}`],
  [/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)(?::\d{1,5})?/g, gone],
  [/\[[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}\](?::\d{1,5})?/gi, gone],
  [/(?<![\w.])(?:[a-z0-9-]{1,63}\.){1,8}[a-z][a-z0-9-]{0,62}:\d{2,5}\b/gi, gone],
  [/\b(?:localhost|host[-_]?\d[\w.-]{0,60})(?::\d{1,5})?\b/gi, gone],
  [/(?<![\w.])(?:[a-z0-9-]{1,63}\.){1,8}(?:local|internal|intranet|corp|lan|svc|localdomain)\b/gi, gone],
  [
    /(?<![\w/.])\/(?:[\w.@-]{1,80}\/){1,20}[\w.@-]{1,80}\.(?:py|[cm]?[jt]sx?|go|rs|java|rb|php|so|c|cc|cpp)\b/g,
    gone,
  ],
  // Credentials.
  [/\b(Bearer|Basic)\s+(?=\S*\d)[\w.~+/=*-]{8,}/gi, `$1 ${gone}`],
  [/\beyJ[\w-]{8,}(?:\.[\w-]+){1,2}/g, gone],
  [/\bAIza[\w.*…-]{4,}/g, gone],
  [
    /\b(?:sk(?=[-_][\w-]{6})|(?:sk|pk|rk|gsk|xai|hf|r8|nvapi|pplx|csk)(?=[-_][\w.*•…-]*(?:\d|\*|\.\.\.|…|•|[\w-]{12})))[-_][\w.*•…-]*[\w*•…]/g,
    gone,
  ],
  [/(\w{0,20}(?:key|token|secret|password|passwd|signature|sig)=)[^\s&"'<>]+/gi, `$1${gone}`],
  [
    /\b((?:x-)?(?:goog-)?api[-_ ]?key|authorization)(["']?\s?[:=]\s?["']?)(?=\S*[\d*])[^\s"'&,]{6,}/gi,
    `$1$2${gone}`,
  ],
  [/\b(api[-_ ]?key provided:? ["']?)(?=\S*[\d*•…]|\S*\.\.\.)[^\s"',]*[^\s"',.]/gi, `$1${gone}`],
  [/[\w-]{0,60}\*{3,}[\w*-]{0,60}/g, gone],
];

/** The values of headers, and the credential in one that names its scheme; what is short is no secret. */
function secretsOf(headers: Upstream['headers']): string[] {
  const values = Object.values(headers).flatMap(value => [value, value.replace(/^\w+ +/, '')]);
  return values.filter(value => value.length >= 8);
}

/** Takes out what shows the beginning or the end of a secret, with dots or stars in place of the rest. */
function withoutMasked(text: string, secrets: readonly string[]): string {
  const mask = /([\w-]{0,60})(?:\.{3,}|…|[*•]{2,}|x{4,})([\w-]{0,60})/gi;
  const ending = /\b(ending (?:in|with) ["'`]?)([\w-]{3,20})/gi;
  return text
    .replace(mask, (whole, head: string, tail: string) => (shows(secrets, head, tail) ? gone : whole))
    .replace(ending, (whole, before: string, tail: string) =>
      shows(secrets, '', tail) ? `${before}${gone}` : whole,
    );
}

function shows(secrets: readonly string[], head: string, tail: string): boolean {
  return secrets.some(
    secret => (head.length >= 2 && secret.startsWith(head)) || (tail.length >= 3 && secret.endsWith(tail)),
  );
}

/** Cuts off where a stack trace begins. */
function withoutTrace(text: string): string {
  const at = text.search(/Traceback \(most recent call last\)|\n\s+at \S|\n\s*File "/);
  if (at < 0) return text;
  return text.slice(0, at).trim() || 'The upstream failed.';
}
