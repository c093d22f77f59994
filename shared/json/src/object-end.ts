/** Finds where a JSON object ends whose text arrives in pieces, each of which is read once. The text may be invalid JSON. */
export class ObjectEnd {
  #depth = 0;
  #inString = false;
  /** True if the last character escapes the next one. */
  #escapes = false;
  #begun = false;
  #ended = false;
  /** True if there is anything but an object. */
  #broken = false;

  /** True if the text so far is one object, or would be if it were valid JSON. */
  get reached(): boolean {
    return this.#ended && !this.#broken;
  }

  add(text: string): void {
    for (let at = 0; at < text.length && !this.#broken; at++) {
      if (this.#inString) {
        at = this.#throughString(text, at);
        continue;
      }
      const c = text.charCodeAt(at);
      if (c <= space) continue;
      if (this.#ended || (!this.#begun && c !== openBrace)) this.#broken = true;
      else if (c === quote) this.#inString = true;
      else if (c === openBrace || c === openBracket) this.#open();
      else if ((c === closeBrace || c === closeBracket) && --this.#depth === 0) this.#ended = true;
    }
  }

  #open(): void {
    this.#begun = true;
    this.#depth++;
  }

  /** Returns the offset of the quote that ends the string, or of the text's last character. */
  #throughString(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (this.#escapes) this.#escapes = false;
      else if (c === backslash) this.#escapes = true;
      else if (c === quote) {
        this.#inString = false;
        return at;
      }
    }
    return text.length;
  }
}

const space = 0x20;
const quote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
