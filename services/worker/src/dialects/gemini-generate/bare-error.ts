/** The most that an error is read of. */
const maxError = 64 * 1024;

/** Finds an error that an upstream put into a stream as bare JSON, not as an event. */
export class BareError {
  /** What follows the last whole event. */
  #pieces: Buffer[] = [];
  #length = 0;
  /** Whether it begins as JSON does; undefined while it has nothing but space. */
  #isJson: boolean | undefined;

  /** `whole` is what `bytes` made whole: it ends at the last event's end. */
  note(bytes: Buffer, whole: Buffer): void {
    const held = this.#length + bytes.length - whole.length;
    const rest = whole.length > 0 ? bytes.subarray(bytes.length - held) : bytes;
    if (whole.length > 0) this.#forget();
    this.#length = held;
    const [first] = /\S/.exec(rest.toString('latin1', 0, 64)) ?? [];
    if (first !== undefined) this.#isJson ??= first === '{' || first === '[';
    if (this.#isJson !== false && held <= maxError) this.#pieces.push(rest);
  }

  /** The error; undefined where there is none. */
  get error(): unknown {
    if (!this.#isJson || this.#length > maxError) return undefined;
    try {
      const value = JSON.parse(Buffer.concat(this.#pieces).toString('utf8'));
      const one = Array.isArray(value) ? value[0] : value;
      return one?.error ? one : undefined;
    } catch {
      return undefined;
    }
  }

  #forget(): void {
    this.#pieces = [];
    this.#isJson = undefined;
  }
}
