/** The next bytes of an audio file, in pieces of any size. */
export interface AudioEvent {
  type: 'audio';
  bytes: Uint8Array;
  /** Set on the first event of an answer. */
  mediaType?: string;
}
