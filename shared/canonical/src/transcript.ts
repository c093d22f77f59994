/** What was said in an audio. */
export interface TranscribeAnswer {
  type: 'transcript';
  text: string;
}
