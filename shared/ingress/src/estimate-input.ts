/** Bytes of a request for each token of its prompt, on average: 4 characters of English, with the syntax of JSON. */
const bytesPerToken = 4;
/** The longest run of characters of base64 that is counted as text: a longer one is a file. */
const longestWord = 1_024;
/** Tokens of a file in base64. */
const tokensPerFile = 1_000;

/** 1 for each byte that base64 uses. */
const inBase64 = new Uint8Array(256);
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-'))
  inBase64[byte] = 1;

/** Returns an estimate of the tokens of a request's prompt. `body` is its JSON text. */
export function estimateInput(body: Uint8Array): number {
  if (body.length <= longestWord) return Math.ceil(body.length / bytesPerToken);
  let textBytes = body.length;
  let files = 0;
  let start = 0;
  for (let at = 0; at <= body.length; at++) {
    if (inBase64[body[at] ?? 0] === 1) continue;
    if (at - start > longestWord) {
      files++;
      textBytes -= at - start;
    }
    start = at + 1;
  }
  return Math.ceil(textBytes / bytesPerToken) + files * tokensPerFile;
}
