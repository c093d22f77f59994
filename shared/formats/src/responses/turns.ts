import type { AssistantPart, Message, Signature, ToolResultPart } from '@model-gateway/canonical';
import { invalid } from './invalid.ts';

interface AssistantTurn {
  role: 'assistant';
  content: AssistantPart[];
  /** The ids of calls of which none has a result. */
  open: Set<string>;
  results: ToolResultPart[];
}
type Turn = Exclude<Message, { role: 'assistant' | 'tool' }> | AssistantTurn;

/**
 * Groups items into turns. Consecutive model output is one turn, followed directly by the results of its
 * calls.
 */
export class Turns {
  readonly #turns: Turn[] = [];
  /** The turns with a call that has no result, by the call's id, once for each call; the latest one last. */
  readonly #calling = new Map<string, AssistantTurn[]>();

  addMessage(message: Exclude<Message, { role: 'assistant' | 'tool' }>): void {
    if (message.content.length > 0) this.#turns.push(message);
  }

  add(...parts: AssistantPart[]): void {
    if (parts.length === 0) return;
    const turn = this.#assistant();
    turn.content.push(...parts);
    for (const part of parts) if (part.type === 'tool-call') this.#open(turn, part.id);
  }

  /** Adds a tool result. `path` is its position. @throws GatewayError if it has no matching call */
  addResult(result: ToolResultPart, path: string): void {
    const turn = this.#calling.get(result.callId)?.pop();
    if (!turn)
      throw invalid(
        `${path}.call_id`,
        `No tool call found for function call output with call_id ${result.callId}.`,
      );
    turn.open.delete(result.callId);
    turn.results.push(result);
  }

  /** Sets the signature of the last part. Returns false if that part has one already, or cannot have one. */
  sign(signature: Signature): boolean {
    const last = this.#turns.at(-1);
    const part = last?.role === 'assistant' ? last.content.at(-1) : undefined;
    if ((part?.type !== 'tool-call' && part?.type !== 'text') || part.signature) return false;
    part.signature = signature;
    return true;
  }

  /** Returns the messages. @throws GatewayError if a call has no result */
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

  #open(turn: AssistantTurn, id: string): void {
    turn.open.add(id);
    const calling = this.#calling.get(id);
    if (calling) calling.push(turn);
    else this.#calling.set(id, [turn]);
  }

  #assistant(): AssistantTurn {
    const last = this.#turns.at(-1);
    if (last?.role === 'assistant' && last.results.length === 0) return last;
    const turn: AssistantTurn = { role: 'assistant', content: [], open: new Set(), results: [] };
    this.#turns.push(turn);
    return turn;
  }
}
