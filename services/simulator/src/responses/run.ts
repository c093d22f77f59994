import type { Call, Step, Thought } from '../mind/answer.ts';

/** The steps that make one item of an output. */
export type Run =
  | { kind: 'reasoning' | 'text' | 'refusal'; steps: Step[] }
  | { kind: 'call'; steps: Step[]; call: Call };

/** Parts an answer into the items of its output. */
export function runsOf({ steps }: Thought): Run[] {
  const runs: Run[] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    const kind = step.kind === 'input' ? 'call' : step.kind;
    if (step.kind === 'call') runs.push({ kind: 'call', call: step.call, steps: [step] });
    else if (last?.kind === kind) last.steps.push(step);
    else if (kind !== 'call') runs.push({ kind, steps: [step] });
  }
  return runs;
}

/** All that an item says. */
export function textOf({ steps }: Run): string {
  return steps.map(step => (step.kind === 'call' ? '' : step.text)).join('');
}
