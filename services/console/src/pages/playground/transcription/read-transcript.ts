import { cutOff, isEventStream, readEvents, readJson, readText } from '../operation/read-answer.ts';
import type { Reading } from '../operation/use-run.ts';
import { heard, type Transcript, transcriptAnswer, transcriptEvent } from './transcript.ts';

/** Reads a transcript: JSON, a text such as subtitles, or events. @throws Problem if it is cut off */
export async function readTranscript(reading: Reading<Transcript>): Promise<Transcript> {
  const { response, show } = reading;
  if (!isEventStream(response)) {
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return isJson ? readJson(reading, transcriptAnswer) : { text: await readText(reading) };
  }
  let transcript: Transcript = { text: '' };
  let done = false;
  for await (const event of readEvents(reading, transcriptEvent)) {
    transcript = heard(transcript, event);
    done ||= event.type === 'transcript.text.done';
    show(transcript);
  }
  if (!done) throw cutOff();
  return transcript;
}
