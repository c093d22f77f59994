/** How many calls are ended in one turn of the event loop: each closes an upstream, and thousands may be cancelled at once. */
const atOnce = 64;

const waiting: AbortController[] = [];
let left = atOnce;
let scheduled = false;

/** Aborts in this turn of the event loop, or in a later one where many are aborted. */
export function abortInTurn(controller: AbortController): void {
  schedule();
  if (left === 0) return void waiting.push(controller);
  left--;
  controller.abort();
}

function schedule(): void {
  if (!scheduled) setImmediate(nextTurn);
  scheduled = true;
}

function nextTurn(): void {
  scheduled = false;
  left = atOnce;
  for (const controller of waiting.splice(0, atOnce)) abortInTurn(controller);
  if (waiting.length > 0) schedule();
}
