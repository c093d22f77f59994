import { isIP } from 'node:net';
import type { RedactedKind } from '@model-gateway/catalog';

/** Replaces data of one kind in a text by a mark. Its time is linear in the text. */
export type Redact = (text: string) => string;

export const markOf = (name: string) => `[redacted: ${name}]`;

/** Names of members whose values are secrets. */
export const secretName =
  /^(?:x-)?(?:api[_-]?key|access[_-]?token|auth[_-]?token|authorization|client[_-]?secret|password|passwd|secret)$/i;

const secrets: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  // OpenAI, Anthropic, this gateway and others.
  /\b(?:sk|pk|rk)[-_](?:[a-z]{2,10}[-_]){0,3}[A-Za-z0-9_-]{16,}/g,
  /\bAIza[\w-]{35}/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,}/g,
  /\bgithub_pat_\w{22,}/g,
  /\b(?:glpat|hf|npm|gsk|xai|nvapi|dop_v1)[-_][A-Za-z0-9_-]{20,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bA(?:KIA|SIA)[0-9A-Z]{16}\b/g,
  // JSON Web Tokens.
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g,
  /(?<=\bbearer\s{1,3})[\w.~+/-]{16,}=*/gi,
  // Credentials in URLs, and values that are assigned to secret names.
  /(?<=:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}(?=@)/g,
  /(?<=\b(?:api[_-]?key|access[_-]?token|client[_-]?secret|password|passwd|secret)["']?\s{0,3}[:=]\s{0,3}["']?)(?=[^\s"',;]{0,100}\d)[^\s"',;]{8,}/gi,
];

/** Replaces keys, tokens, passwords and private keys. */
export const redactSecrets: Redact = text =>
  secrets.reduce((changed, pattern) => changed.replace(pattern, markOf('secret')), text);

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
  creditCard: text => text.replace(digits, run => redactGroups(run, isCardNumber, 'creditCard')),
  iban: text => text.replace(accounts, run => redactGroups(run, isIban, 'iban')),
  ipAddress: text => text.replace(addresses, found => (isIP(found) ? markOf('ipAddress') : found)),
};

/** Replaces the longest groups of characters, which spaces or hyphens separate, that together are valid. */
function redactGroups(run: string, isValid: (compact: string) => boolean, name: string): string {
  const groups = run.split(/(?<=[ -])/);
  const compact = groups.map(group => group.replace(/[ -]$/, ''));
  let text = '';
  for (let from = 0; from < groups.length; ) {
    let to = Math.min(groups.length, from + mostGroups);
    let length = compact.slice(from, to).reduce((sum, group) => sum + group.length, 0);
    while (to > from && !(length >= leastLength && isValid(compact.slice(from, to).join(''))))
      length -= (compact[--to] as string).length;
    if (to === from) text += groups[from++];
    else {
      const last = groups[to - 1] as string;
      text += markOf(name) + last.slice((compact[to - 1] as string).length);
      from = to;
    }
  }
  return text;
}

/** The fewest characters of a card or an account. */
const leastLength = 13;
/** The most groups in which a card or an account is written. */
const mostGroups = 9;

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
