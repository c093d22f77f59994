import type { AssistantPart, Message, Signature, ToolResultPart } from '@model-gateway/canonical';
import { invalid } from './invalid.ts';

interface AssistantTurn {
  role: 'assistant';
  content: AssistantPart[];
  /** The calls that no result has answered. */
  open: Set<string>;
  results: ToolResultPart[];
}
type Turn = Exclude<Message, { role: 'assistant' | 'tool' }> | AssistantTurn;

/** Makes turns of items: what the model made one after the other is one turn, and the results of its calls come right after it. */
export class Turns {
  readonly #turns: Turn[] = [];

  say(message: Exclude<Message, { role: 'assistant' | 'tool' }>): void {
    if (message.content.length > 0) this.#turns.push(message);
  }

  add(...parts: AssistantPart[]): void {
    if (parts.length === 0) return;
    const turn = this.#assistant();
    turn.content.push(...parts);
    for (const part of parts) if (part.type === 'tool-call') turn.open.add(part.id);
  }

  /** `path` is where the result is. @throws GatewayError if no call waits for it */
  answer(result: ToolResultPart, path: string): void {
    const turn = this.#turns.findLast(turn => turn.role === 'assistant' && turn.open.has(result.callId)) as
      | AssistantTurn
      | undefined;
    if (!turn)
      throw invalid(
        `${path}.call_id`,
        `No tool call found for function call output with call_id ${result.callId}.`,
      );
    turn.open.delete(result.callId);
    turn.results.push(result);
  }

  /** Puts the proof of what was made last where it belongs; false where that has one, or is none that has. */
  prove(signature: Signature): boolean {
    const last = this.#turns.at(-1);
    const part = last?.role === 'assistant' ? last.content.at(-1) : undefined;
    if ((part?.type !== 'tool-call' && part?.type !== 'text') || part.signature) return false;
    part.signature = signature;
    return true;
  }

  /** @throws GatewayError naming a call that has no result */
  end(): Message[] {
    return this.#turns.flatMap((turn): Message[] => {
      if (turn.role !== 'assistant') return [turn];
      const [unanswered] = turn.open;
      if (unanswered !== undefined)
        throw invalid('input', `No tool output found for function call ${unanswered}.`);
      const { role, content, results } = turn;
      return [
        { role, content },
        ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
      ];
    });
  }

  #assistant(): AssistantTurn {
    const last = this.#turns.at(-1);
    if (last?.role === 'assistant' && last.results.length === 0) return last;
    const turn: AssistantTurn = { role: 'assistant', content: [], open: new Set(), results: [] };
    this.#turns.push(turn);
    return turn;
  }
}
