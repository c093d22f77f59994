import { type ErrorDetails, GatewayError } from '@model-gateway/canonical';

/** Replacement for a redacted text. */
const placeholder = '[redacted]';
/** The most characters of an upstream's message that are examined. */
const maxRead = 4_000;
/** The most characters of an upstream's message that are sent to the client. */
export const maxShown = 2_000;

/** The secrets in a request to an upstream: its headers and its origin. */
export interface Redacted {
  headers: Record<string, string>;
  origin: string;
}

/** Returns an upstream's error without credentials, hosts, file paths and stack traces. */
export function redactError(error: GatewayError, upstream: Redacted): GatewayError {
  const { kind, details, cause } = error;
  const message = redact(error.message, upstream);
  const { param, code, said, vendorDetails, ...rest } = details;
  const safe = Object.entries({ param, code }).filter(([, text]) => text && redact(text, upstream) === text);
  const words = said === undefined ? {} : { said: redact(said, upstream) };
  const more = vendorDetails && redactDetails(vendorDetails, upstream);
  return new GatewayError(
    kind,
    message,
    { ...rest, ...words, ...more, ...Object.fromEntries(safe) },
    { cause },
  );
}

/** The most characters of an upstream's details that are sent to the client. */
const maxDetails = 8_000;
/** Hosts of Google's APIs, which name the service in details. They are no secret. */
const googleHost = /(?:^|\.)googleapis\.com$/;

/** Redacts the texts of an upstream's details; leaves out large ones. */
function redactDetails(
  { format, value }: NonNullable<ErrorDetails['vendorDetails']>,
  { headers, origin }: Redacted,
): Pick<ErrorDetails, 'vendorDetails'> {
  const text = JSON.stringify(value);
  if (text.length > maxDetails) return {};
  const secrets = { headers, origin: googleHost.test(new URL(origin).hostname) ? nowhere : origin };
  const redacted: unknown = JSON.parse(text, (_name, member) =>
    typeof member === 'string' ? redact(member, secrets) : member,
  );
  return { vendorDetails: { format, value: redacted } };
}

/** An origin whose host no text holds. */
const nowhere = 'http://invalid.invalid';

/** Redacts a text of an upstream. */
export function redact(original: string, { headers, origin }: Redacted): string {
  const secrets = secretsOf(headers);
  let text = withoutTrace(beginning(original));
  for (const secret of secrets) text = text.replaceAll(secret, placeholder);
  text = withoutMasked(text, secrets);
  const { host, hostname } = new URL(origin);
  text = text.replace(urls, url => shownUrl(url, hostname));
  for (const [pattern, replacement] of patterns) text = text.replace(pattern, replacement);
  // A single-label hostname may be an ordinary word: without its port it stays.
  const names = hostname.includes('.') || hostname === 'localhost' ? [host, hostname] : [host];
  for (const name of names) if (name.length > 3) text = text.replaceAll(name, placeholder);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** Returns the part to examine, without a word cut in half: half a secret would not be recognised. */
function beginning(text: string): string {
  return text.length > maxRead ? text.slice(0, maxRead).replace(/\S{1,200}$/, '') : text;
}

const urls = /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`)\]}]*[^\s"'<>`)\]}.,;:!?]/gi;

/** Matches hosts with public pages for people, such as `platform.openai.com`. Other hosts may be those of machines. */
const publicPages =
  /^(?:(?:www|docs?|platform|console|help|support|developers?|learn|status|dashboard|ai)(?:\.[a-z0-9-]{2,63}){1,3}|github\.com|huggingface\.co)$/;
const privateName = /\.(?:local|internal|intranet|corp|lan|svc|localdomain|test|example)$/;

/** Returns a URL without its query if it leads to a public page of advice, else the placeholder. */
function shownUrl(text: string, ownHost: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username || url.port || url.hostname === ownHost) return placeholder;
  const isPublic = publicPages.test(url.hostname) && !privateName.test(url.hostname);
  return isPublic
    ? `https://${url.hostname}${url.pathname === '/' ? '' : url.pathname}${url.hash}`
    : placeholder;
}

/** Patterns to redact. All are linear in the text's length. */
const patterns: [RegExp, string][] = [
  // Addresses.
  [
    /\b(ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(?:HOST|NET)UNREACH|EPIPE|EPROTO) +[\w.:[\]-]*[\w\]]/g,
    `$1 ${placeholder}`,
  ],
  [/\b(host(?:name)?)(=|: ?)["']?[\w.-]*\w["']?/gi, `$1$2${placeholder}`],
  [/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)(?::\d{1,5})?/g, placeholder],
  [/\[[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}\](?::\d{1,5})?/gi, placeholder],
  [/(?<![\w.])(?:[a-z0-9-]{1,63}\.){1,8}[a-z][a-z0-9-]{0,62}:\d{2,5}\b/gi, placeholder],
  [/\b(?:localhost|host[-_]?\d[\w.-]{0,60})(?::\d{1,5})?\b/gi, placeholder],
  [
    /(?<![\w.])(?:[a-z0-9-]{1,63}\.){1,8}(?:local|internal|intranet|corp|lan|svc|localdomain)\b/gi,
    placeholder,
  ],
  [
    /(?<![\w/.])\/(?:[\w.@-]{1,80}\/){1,20}[\w.@-]{1,80}\.(?:py|[cm]?[jt]sx?|go|rs|java|rb|php|so|c|cc|cpp)\b/g,
    placeholder,
  ],
  // Credentials.
  [/\b(Bearer|Basic)\s+(?=\S{0,200}\d)[\w.~+/=*-]{8,}/gi, `$1 ${placeholder}`],
  // From the first `eyJ` of a run on: what a lookahead has found is not looked for in another way.
  [/(?<![\w-])(?=([\w-]*?\b(?=eyJ)))\1eyJ[\w-]{8,}(?:\.[\w-]+){1,2}/g, `$1${placeholder}`],
  [/\bAIza[\w.*…-]{4,}/g, placeholder],
  [
    /\b(?:sk(?=[-_][\w-]{6})|(?:sk|pk|rk|gsk|xai|hf|r8|nvapi|pplx|csk)(?=[-_][\w.*•…-]{0,200}(?:\d|\*|\.\.\.|…|•|[\w-]{12})))[-_][\w.*•…-]*[\w*•…]/g,
    placeholder,
  ],
  [/(\w{0,20}(?:key|token|secret|password|passwd|signature|sig)=)[^\s&"'<>]+/gi, `$1${placeholder}`],
  [
    /\b((?:x-)?(?:goog-)?api[-_ ]?key|authorization)(["']?\s?[:=]\s?["']?)(?=\S{0,200}[\d*])[^\s"'&,]{6,}/gi,
    `$1$2${placeholder}`,
  ],
  [
    /\b(api[-_ ]?key provided:? ["']?)(?=\S{0,200}(?:[\d*•…]|\.\.\.))[^\s"',]*[^\s"',.]/gi,
    `$1${placeholder}`,
  ],
  [/[\w-]{0,60}\*{3,}[\w*-]{0,60}/g, placeholder],
];

/** Returns header values of at least 8 characters, with and without an authorization scheme. */
function secretsOf(headers: Redacted['headers']): string[] {
  const values = Object.values(headers).flatMap(value => [value, value.replace(/^\w+ +/, '')]);
  return values.filter(value => value.length >= 8);
}

/** Redacts masked secrets, of which only the beginning or end is readable. */
function withoutMasked(text: string, secrets: readonly string[]): string {
  const mask = /([\w-]{0,60})(?:\.{3,}|…|[*•]{2,}|x{4,})([\w-]{0,60})/gi;
  const ending = /\b(ending (?:in|with) ["'`]?)([\w-]{3,20})/gi;
  return text
    .replace(mask, (whole, head: string, tail: string) => (shows(secrets, head, tail) ? placeholder : whole))
    .replace(ending, (whole, before: string, tail: string) =>
      shows(secrets, '', tail) ? `${before}${placeholder}` : whole,
    );
}

function shows(secrets: readonly string[], head: string, tail: string): boolean {
  return secrets.some(
    secret => (head.length >= 2 && secret.startsWith(head)) || (tail.length >= 3 && secret.endsWith(tail)),
  );
}

/** Cuts the text where a stack trace begins. */
function withoutTrace(text: string): string {
  const at = text.search(/Traceback \(most recent call last\)|\n[^\S\n]+at \S|\n[^\S\n]*File "/);
  if (at < 0) return text;
  return text.slice(0, at).trim() || 'The upstream failed.';
}
