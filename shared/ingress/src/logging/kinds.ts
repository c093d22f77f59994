import { isIP } from 'node:net';
import type { RedactedKind } from '@model-gateway/catalog';

/** Replaces data of one kind in a text by a mark. Its time is linear in the text. */
export type Redact = (text: string) => string;

export const markOf = (name: string) => `[redacted: ${name}]`;

/** Names of members whose values are secrets. */
export const secretName =
  /^(?:x-)?(?:api[_-]?key|access[_-]?token|auth[_-]?token|authorization|client[_-]?secret|password|passwd|secret)$/i;

/** `kept` are the groups of the pattern that stay before the mark. */
function secret(pattern: RegExp, kept = ''): Redact {
  const replacement = `${kept}${markOf('secret')}`;
  return text => text.replace(pattern, replacement);
}

/**
 * Replaces keys, tokens, passwords and private keys, one kind a step. RE2 knows no lookaround, so the patterns are JavaScript's. Each is
 * linear: what may repeat without end is the last thing that it looks for, or begins at one place of a run alone.
 */
export const secrets: readonly Redact[] = [
  secret(/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g),
  // OpenAI, Anthropic, this gateway and others.
  secret(/\b(?:sk|pk|rk)[-_](?:[a-z]{2,10}[-_]){0,3}[A-Za-z0-9_-]{16,}/g),
  secret(/\bAIza[\w-]{35}/g),
  secret(/\bgh[pousr]_[A-Za-z0-9]{36,}/g),
  secret(/\bgithub_pat_\w{22,}/g),
  secret(/\b(?:glpat|hf|npm|gsk|xai|nvapi|dop_v1)[-_][A-Za-z0-9_-]{20,}/g),
  secret(/\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g),
  secret(/\bA(?:KIA|SIA)[0-9A-Z]{16}\b/g),
  // JSON Web Tokens, from the first `eyJ` of a run on: what a lookahead has found is not looked for in another way.
  secret(/(?<![\w-])(?=([\w-]*?\b(?=eyJ)))\1eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g, '$1'),
  secret(/(?<=\bbearer\s{1,3})[\w.~+/-]{16,}=*/gi),
  // Credentials in URLs, and values that are assigned to secret names.
  secret(/(?<=:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}(?=@)/g),
  secret(
    /(?<=\b(?:api[_-]?key|access[_-]?token|client[_-]?secret|password|passwd|secret)["']?\s{0,3}[:=]\s{0,3}["']?)(?=[^\s"',;]{0,100}\d)[^\s"',;]{8,}/gi,
  ),
];

const email = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu;
const phone =
  /(?<![\w.+-])(?:\+\d{1,3}(?:[ ().\u00a0-]{0,2}\d){6,14}|(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4})(?![\w-])/g;
const ssn = /(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g;
const digits = /(?<![\w.])\d(?:[ -]?\d){12,}(?!\w)/g;
const accounts = /(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/g;
const addresses = /(?<![\w.:])[\dA-Fa-f:.]{2,44}[\dA-Fa-f:](?!\w)/g;

export const kinds: Record<RedactedKind, Redact> = {
  email: text => (text.includes('@') ? text.replace(email, markOf('email')) : text),
  phone: text => text.replace(phone, markOf('phone')),
  ssn: text => text.replace(ssn, markOf('ssn')),
  creditCard: text => text.replace(digits, run => redactGroups(run, card)),
  iban: text => text.replace(accounts, run => redactGroups(run, account)),
  ipAddress: text => text.replace(addresses, found => (isIP(found) ? markOf('ipAddress') : found)),
};

/** A number that is written in groups. */
interface Grouped {
  name: string;
  /** The most characters, without those between the groups. */
  most: number;
  isValid(compact: string): boolean;
}

/** The fewest characters of a card or an account. */
const least = 13;
/** The most groups in which a card or an account is written. */
const mostGroups = 9;

const card: Grouped = { name: 'creditCard', most: 19, isValid: isCardNumber };
const account: Grouped = { name: 'iban', most: 34, isValid: isIban };

/** Replaces the longest groups of characters, which spaces or hyphens separate, that together are valid. */
function redactGroups(run: string, { name, most, isValid }: Grouped): string {
  const groups = run.split(/(?<=[ -])/);
  const compact = run.replace(/[ -]/g, '');
  /** The place of each group in `compact`. */
  const places = [0];
  for (const group of groups)
    places.push((places.at(-1) as number) + group.length - (/[ -]$/.test(group) ? 1 : 0));
  const areValid = (from: number, to: number) => {
    const [begin, end] = [places[from] as number, places[to] as number];
    return end - begin >= least && end - begin <= most && isValid(compact.slice(begin, end));
  };
  let text = '';
  for (let from = 0; from < groups.length; ) {
    let to = Math.min(groups.length, from + mostGroups);
    while (to > from && !areValid(from, to)) to--;
    if (to === from) text += groups[from++];
    else {
      text += markOf(name) + (/[ -]$/.exec(groups[to - 1] as string)?.[0] ?? '');
      from = to;
    }
  }
  return text;
}

/** Checks the length, the issuer and the Luhn digit of a payment card. */
function isCardNumber(text: string): boolean {
  if (!/^(?:[3456]\d{12,18}|2[2-7]\d{14})$/.test(text)) return false;
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = Number(text[text.length - 1 - at]) * (at % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** Checks the remainder of an account number (ISO 13616). */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) return false;
  const moved = text.slice(4) + text.slice(0, 4);
  let rest = 0;
  for (const character of moved) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
