import type { TranscriptionAnswer } from './answer.ts';

/** A format of subtitles. */
export type SubtitleFormat = 'srt' | 'vtt';

/** Writes the segments of a JSON transcript as subtitles; undefined if a text has none, or one without times. Silence has no cues. */
export function subtitles(
  { text, segments }: TranscriptionAnswer,
  format: SubtitleFormat,
): string | undefined {
  if (segments && !segments.every(isTimed)) return undefined;
  const spoken = (segments ?? []).filter(segment => segment.text?.trim());
  if (spoken.length === 0 && text.trim() !== '') return undefined;
  const cues = spoken.map(({ start, end, text }, at) => {
    const number = format === 'srt' ? `${at + 1}\n` : '';
    return `${number}${time(start, format)} --> ${time(end, format)}\n${oneBlock(text)}\n\n`;
  });
  return (format === 'vtt' ? 'WEBVTT\n\n' : '') + cues.join('');
}

function isTimed({ start, end, text }: { start: unknown; end: unknown; text: unknown }): boolean {
  return (
    (text == null || typeof text === 'string') &&
    [start, end].every(seconds => Number.isFinite(seconds) && Number(seconds) >= 0)
  );
}

/** Writes seconds as `hh:mm:ss,mmm` for SRT and `hh:mm:ss.mmm` for WebVTT. */
function time(seconds: number, format: SubtitleFormat): string {
  const ms = Math.round(seconds * 1000);
  const digits = (value: number, length = 2) => String(Math.floor(value)).padStart(length, '0');
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map(value => digits(value)).join(':');
  return `${clock}${format === 'srt' ? ',' : '.'}${digits(ms % 1000, 3)}`;
}

/** An empty line would end the cue. */
function oneBlock(text: string): string {
  return text
    .trim()
    .replace(/\r/g, '')
    .replace(/\n{2,}/g, '\n');
}
