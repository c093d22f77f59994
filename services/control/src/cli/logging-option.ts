import { type LoggingSettings, redactedKinds } from '@model-gateway/admin-api';
import { UsageError } from './exit-codes.ts';
import { pairsOf } from './option-values.ts';

const example = 'sample=0.1,redact=email+phone,retentionDays=7,maxBytes=20000';

/**
 * Reads `sample=0.1,redact=email+phone,retentionDays=7`; null if the text is empty, undefined if there is none. Regular
 * expressions stay as they are.
 * @throws UsageError
 */
export function loggingOf(
  text: string | undefined,
  before: LoggingSettings | null | undefined,
): LoggingSettings | null | undefined {
  if (!text) return text === undefined ? undefined : null;
  const { redact = '', ...numbers } = pairsOf('logging', text, example);
  const patterns = (before?.redact ?? []).filter(redaction => typeof redaction !== 'string');
  const redactions = [...kindsOf(redact), ...patterns];
  return {
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, numberOf(value)])),
    ...(redactions.length > 0 && { redact: redactions }),
  } as LoggingSettings;
}

/** Writes request logging as {@link loggingOf} reads it, with the names of regular expressions. */
export function loggingText(logging: LoggingSettings | null): string {
  if (!logging) return '-';
  const { redact = [], ...numbers } = logging;
  const names = redact.map(redaction => (typeof redaction === 'string' ? redaction : redaction.name));
  const pairs = Object.entries(numbers).map(([name, value]) => `${name}=${value}`);
  return [...pairs, ...(names.length > 0 ? [`redact=${names.join('+')}`] : [])].join(',');
}

function kindsOf(text: string): (typeof redactedKinds)[number][] {
  return text
    .split('+')
    .filter(name => name !== '')
    .map(name => {
      const kind = redactedKinds.find(known => known === name);
      if (!kind) throw new UsageError(`--logging redacts ${redactedKinds.join(', ')}, but not '${name}'`);
      return kind;
    });
}

function numberOf(text: string): number {
  const number = Number(text);
  if (text === '' || Number.isNaN(number))
    throw new UsageError(`--logging must be such as ${example}, but has '${text}'`);
  return number;
}
