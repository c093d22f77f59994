import type { Finding } from '@model-gateway/admin-api';

/** Makes findings of a check. */
export function findingsOf(check: string) {
  return {
    ok: (found: string): Finding => ({ check, status: 'ok', found, advice: null }),
    warning: (found: string, advice: string): Finding => ({ check, status: 'warning', found, advice }),
    failed: (found: string, advice: string): Finding => ({ check, status: 'failed', found, advice }),
  };
}

const marks = { ok: '✓', warning: '!', failed: '✗' };

/** Writes findings for people: a line for each, and below it what to do. */
export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, status, found, advice }) => [
    `${marks[status]} ${check.padEnd(width)}  ${visible(found)}`,
    ...(advice === null ? [] : [`  ${' '.repeat(width)}  → ${visible(advice)}`]),
  ]);
  return [...lines, '', summary(findings)].join('\n');
}

function summary(findings: readonly Finding[]): string {
  const count = (status: Finding['status']) => findings.filter(each => each.status === status).length;
  const [failed, warnings] = [count('failed'), count('warning')];
  if (failed + warnings === 0) return 'Everything is as it should be.';
  return `${failed} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}, ${count('ok')} ok.`;
}

/** Returns a text without control characters, which a terminal would obey. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
