import { type Finish, joined, type Thought } from '../mind/answer.ts';

const reasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  calls: 'tool_use',
  refusal: 'refusal',
  blocked: 'refusal',
} as const satisfies Record<Finish, string>;

/** Why an answer ended, in the three fields that say so. */
export function stopOf({ finish, stopped, steps }: Thought) {
  const refused = finish === 'refusal';
  return {
    stop_reason: stopped === null ? reasons[finish] : 'stop_sequence',
    stop_sequence: stopped,
    stop_details: refused
      ? { type: 'refusal', category: 'general_harms', explanation: joined(steps, 'refusal') }
      : null,
  };
}
