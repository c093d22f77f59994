/** Bytes of a request for each token of its prompt, on average: 4 characters of English, with the syntax of JSON. */
const bytesPerToken = 4;
/** The longest run of text without a blank or a quote that is counted as text: a longer one is a file in base64. */
const longestWord = 1_024;
/** Tokens of a file in base64. */
const tokensPerFile = 1_000;

const quote = 0x22;
const blank = 0x20;

/** Returns an estimate of the tokens of a request's prompt. `body` is its JSON text. */
export function estimateInput(body: Uint8Array): number {
  if (body.length <= longestWord) return Math.ceil(body.length / bytesPerToken);
  let textBytes = body.length;
  let files = 0;
  let start = 0;
  for (let at = 0; at <= body.length; at++) {
    const byte = body[at];
    if (byte !== undefined && byte !== quote && byte !== blank) continue;
    if (at - start > longestWord) {
      files++;
      textBytes -= at - start;
    }
    start = at + 1;
  }
  return Math.ceil(textBytes / bytesPerToken) + files * tokensPerFile;
}
