/** The codes, types of errors and words by which one format, kind of provider or server refuses requests for one reason. */
export interface RefusalRow {
  of: string;
  /** The vendor's document or the code of its server; else a report with the vendor's words. */
  source: string;
  /** Values of an error's `code` or `type`. A code of MiniMax's `base_resp` follows that name. */
  codes?: readonly string[];
  /**
   * Words of its message, for refusals without a code. An error may repeat the client's text, so words about the account are those
   * that a message begins with.
   */
  words?: readonly RegExp[];
}
