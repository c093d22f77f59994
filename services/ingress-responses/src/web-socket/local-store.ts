import type { Turn } from '../stored/turn.ts';

const maxTurns = 128;
const maxBytes = 64 * 1024 * 1024;

/** The turns that one connection keeps in memory, the latest of them. */
export class LocalStore extends Map<string, Turn> {
  #bytes = 0;

  override set(id: string, turn: Turn): this {
    this.delete(id);
    this.#bytes += sizeOf(turn);
    super.set(id, turn);
    for (const oldest of this.keys()) {
      if (this.size <= maxTurns && this.#bytes <= maxBytes) break;
      this.delete(oldest);
    }
    return this;
  }

  override delete(id: string): boolean {
    const turn = this.get(id);
    if (turn) this.#bytes -= sizeOf(turn);
    return super.delete(id);
  }
}

function sizeOf({ base, input, response }: Turn): number {
  return base.length + input.length + response.length;
}
