/** A control that was not heard for this long while another was is gone, in milliseconds: three of its beats. */
const goneMs = 3_000;

/** What each control says that an operator should know. What was said last stays while no control is there. */
export class Notices {
  readonly #said = new Map<string, { notices: string[]; heardAt: number }>();

  heard(control: string, notices: string[], now: number): void {
    this.#said.set(control, { notices, heardAt: now });
    for (const [id, { heardAt }] of this.#said) if (now - heardAt > goneMs) this.#said.delete(id);
  }

  /** Every notice once. */
  all(): string[] {
    return [...new Set([...this.#said.values()].flatMap(({ notices }) => notices))];
  }
}
