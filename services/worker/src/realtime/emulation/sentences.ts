/** The least that is spoken at once, if more follows; and the most. */
const least = 12;
const most = 400;
/** What a sentence ends with, and what may follow at once. */
const end = /[.!?…]["'”’)\]]*\s|[。！？]|\n/g;

/** Cuts a text that comes in pieces into sentences, so that each can be spoken while the next one is written. */
export class Sentences {
  #text = '';

  /** The sentences that are whole now; together they are the text. */
  add(text: string): string[] {
    this.#text += text;
    const whole: string[] = [];
    for (let at = this.#end(); at > 0; at = this.#end()) {
      whole.push(this.#text.slice(0, at));
      this.#text = this.#text.slice(at);
    }
    return whole;
  }

  /** What is left at the end. */
  rest(): string {
    const rest = this.#text;
    this.#text = '';
    return rest;
  }

  #end(): number {
    for (const { index, 0: mark } of this.#text.slice(0, most + 1).matchAll(end)) {
      const at = index + mark.length;
      if (at >= least && at <= most) return at;
    }
    if (this.#text.length <= most) return 0;
    const space = this.#text.lastIndexOf(' ', most);
    return space > least ? space + 1 : most;
  }
}
