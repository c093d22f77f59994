import type { Call, Step, Thought } from '../mind/answer.ts';

/** The steps that make one content block. */
export type Run =
  | { kind: 'thinking'; steps: Step[] }
  | { kind: 'text'; steps: Step[] }
  | { kind: 'tool_use'; steps: Step[]; call: Call };

/** Parts an answer into its content blocks. */
export function runsOf({ steps }: Thought): Run[] {
  const runs: Run[] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    if (step.kind === 'call') runs.push({ kind: 'tool_use', call: step.call, steps: [step] });
    else if (last && last.kind === kinds[step.kind]) last.steps.push(step);
    else if (step.kind !== 'input') runs.push({ kind: kinds[step.kind], steps: [step] });
  }
  return runs;
}

const kinds = { reasoning: 'thinking', text: 'text', refusal: 'text', input: 'tool_use' } as const;

/** All that a block says. */
export function textOf({ steps }: Run): string {
  return steps.map(step => (step.kind === 'call' ? '' : step.text)).join('');
}
