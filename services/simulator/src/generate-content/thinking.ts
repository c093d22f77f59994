import type { Effort } from '../mind/prompt.ts';
import { wrong } from './complaint.ts';
import type { GenerationConfig } from './request.ts';

const efforts: Record<string, Effort> = { MINIMAL: 'minimal', LOW: 'low', MEDIUM: 'medium', HIGH: 'high' };

/** How hard to think; null is not at all, which is also where nothing is said. @throws Refusal */
export function readEffort({ thinkingConfig: thinking }: GenerationConfig): Effort | null {
  const { thinkingBudget: budget, thinkingLevel: level, includeThoughts } = thinking ?? {};
  if (level && budget !== undefined && budget !== null)
    throw wrong('You can only set only one of thinking budget and thinking level.');
  if (level) return efforts[level] ?? null;
  if (budget === 0) return null;
  if (budget === undefined || budget === null) return includeThoughts ? 'medium' : null;
  if (budget < 0) return 'medium';
  if (budget <= 1_024) return 'low';
  return budget <= 8_192 ? 'medium' : 'high';
}
