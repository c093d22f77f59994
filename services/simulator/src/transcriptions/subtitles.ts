import type { Transcript } from './transcript.ts';

/** A transcript as subtitles, a segment each. */
export function subtitles({ segments }: Transcript, format: 'srt' | 'vtt'): string {
  const cues = segments.map(({ start, end, tokens }, at) => {
    const number = format === 'srt' ? `${at + 1}\n` : '';
    return `${number}${time(start, format)} --> ${time(end, format)}\n${tokens.join('').trim()}\n\n`;
  });
  return `${format === 'vtt' ? 'WEBVTT\n\n' : ''}${cues.join('')}`;
}

/** `01:02:03,456`; vtt has a dot. */
function time(seconds: number, format: 'srt' | 'vtt'): string {
  const ms = Math.round(seconds * 1_000);
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const clock = [two(ms / 3_600_000), two((ms / 60_000) % 60), two((ms / 1_000) % 60)].join(':');
  return `${clock}${format === 'srt' ? ',' : '.'}${String(ms % 1_000).padStart(3, '0')}`;
}
