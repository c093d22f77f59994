import captureUrl from './capture.ts?worker&url';

/** True where the browser can hear: in a secure context alone. */
export const canHear = typeof AudioWorkletNode !== 'undefined' && Boolean(navigator.mediaDevices);

/** An open microphone. `onSamples` gets 40 ms of 16-bit samples each time, while it is not muted. */
export class Microphone {
  readonly #stream: MediaStream;
  readonly #context: AudioContext;

  private constructor(stream: MediaStream, context: AudioContext) {
    this.#stream = stream;
    this.#context = context;
  }

  /** Opens the microphone, for which the browser asks the user. @throws DOMException if it may not or cannot be used */
  static async open(onSamples: (bytes: Uint8Array) => void): Promise<Microphone> {
    const audio = { channelCount: 1, echoCancellation: true, noiseSuppression: true };
    const stream = await navigator.mediaDevices.getUserMedia({ audio });
    const context = new AudioContext();
    const microphone = new Microphone(stream, context);
    try {
      await context.audioWorklet.addModule(captureUrl);
      const capture = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 0 });
      capture.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => onSamples(new Uint8Array(data));
      context.createMediaStreamSource(stream).connect(capture);
      await context.resume();
      return microphone;
    } catch (thrown) {
      microphone.close();
      throw thrown;
    }
  }

  close(): void {
    for (const track of this.#stream.getTracks()) track.stop();
    this.#context.close().catch(() => {});
  }
}

/** Returns the reason why there is no microphone, and what to do. */
export function microphoneProblem(thrown: unknown): string {
  const { name } = Object(thrown) as { name?: string };
  if (name === 'NotAllowedError') return 'The browser may not use the microphone. Allow it for this page.';
  if (name === 'NotFoundError') return 'There is no microphone. Connect one, or write instead.';
  if (name === 'NotReadableError') return 'Another program uses the microphone. Close it, and try again.';
  return 'The microphone cannot be used.';
}
