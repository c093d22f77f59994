import type { Outlet, Parts } from '@model-gateway/ingress';
import type { Turn } from './turn.ts';

/** Where what a process holds in memory is counted. */
export type Held = Pick<Parts['held'], 'share'>;

/** The texts that a turn holds until it is kept, in bytes. */
function sizeOf({ meta, base, input }: Omit<Turn, 'response'>): number {
  const texts = [base, input, meta.background?.request ?? ''];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Counts a turn until its answer is over, or what is returned is called. @throws GatewayError of kind `overloaded` where too much is held already */
export function holdTurn(held: Held, turn: Omit<Turn, 'response'>, to: Outlet): () => void {
  const share = held.share();
  if (!to.destroyed) share.take(sizeOf(turn));
  to.on('close', () => share.giveBack());
  return () => share.giveBack();
}
