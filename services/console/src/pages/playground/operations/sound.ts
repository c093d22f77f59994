type Bytes = Uint8Array<ArrayBuffer>;

/** A sound that arrives in pieces. It can be played while it arrives, where the browser can do that for its type. */
export class Sound {
  readonly #type: string;
  readonly #pieces: Bytes[] = [];
  readonly #source: MediaSource | undefined;
  #buffer: SourceBuffer | undefined;
  #appended = 0;
  #ended = false;
  /** True if the browser could not play the pieces; the whole may still be played. */
  #failed = false;
  readonly #urls: string[] = [];
  /** The address of the sound while it arrives; undefined if it cannot be played before its end. */
  readonly streamUrl: string | undefined;

  constructor(type: string) {
    this.#type = type.split(';')[0] ?? type;
    if (!canStream(this.#type)) return;
    this.#source = new MediaSource();
    this.streamUrl = this.#url(this.#source);
    this.#source.addEventListener('sourceopen', () => this.#open(), { once: true });
  }

  get bytes(): number {
    return this.#pieces.reduce((sum, { length }) => sum + length, 0);
  }

  push(piece: Bytes): void {
    this.#pieces.push(piece);
    this.#feed();
  }

  /** Ends the sound, and returns the addresses to play it and to download it. */
  end(): { playUrl: string; downloadUrl: string } {
    this.#ended = true;
    this.#feed();
    const downloadUrl = this.#url(new Blob(this.#pieces, { type: this.#type }));
    // Browsers play no samples without a header.
    const wav = this.#type === 'audio/pcm' && [wavHeader(this.bytes), ...this.#pieces];
    const whole = wav ? this.#url(new Blob(wav, { type: 'audio/wav' })) : downloadUrl;
    return { playUrl: (!this.#failed && this.streamUrl) || whole, downloadUrl };
  }

  /** Frees the memory of the sound, whose addresses become invalid. */
  free(): void {
    for (const url of this.#urls.splice(0)) URL.revokeObjectURL(url);
  }

  #url(of: Blob | MediaSource): string {
    const url = URL.createObjectURL(of);
    this.#urls.push(url);
    return url;
  }

  #open(): void {
    this.#buffer = this.#source?.addSourceBuffer(this.#type);
    this.#buffer?.addEventListener('updateend', () => this.#feed());
    this.#buffer?.addEventListener('error', () => {
      this.#failed = true;
    });
    this.#feed();
  }

  #feed(): void {
    if (!this.#buffer || this.#buffer.updating || this.#source?.readyState !== 'open') return;
    const piece = this.#pieces[this.#appended];
    if (piece) {
      this.#appended++;
      this.#buffer.appendBuffer(piece);
    } else if (this.#ended) this.#source.endOfStream();
  }
}

function canStream(type: string): boolean {
  return typeof MediaSource !== 'undefined' && MediaSource.isTypeSupported(type);
}

/** Returns the header of a WAV file for samples of 16 bits in one channel, as speech in the format `pcm` has them. */
export function wavHeader(bytes: number, rate = 24_000): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(44));
  const text = (at: number, value: string) => {
    for (const [index, letter] of [...value].entries()) view.setUint8(at + index, letter.charCodeAt(0));
  };
  text(0, 'RIFF');
  view.setUint32(4, 36 + bytes, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, bytes, true);
  return new Uint8Array(view.buffer);
}
