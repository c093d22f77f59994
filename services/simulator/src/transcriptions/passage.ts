import { tokensOf } from '../mind/tokens.ts';

/** What is heard in every recording, from the beginning again where it is longer. */
const sentences = [
  'Good morning, and thank you all for joining the call.',
  'Today we look at how a request finds its way through the gateway.',
  'It arrives at the door, where somebody asks who it is.',
  'Then it waits for a worker that knows the model it wants.',
  'The worker speaks to the provider and listens to every word.',
  'Whatever comes back is passed on at once, piece by piece.',
  'If the caller hangs up, the work stops within a second.',
  'One caller says "naïve café", another 你好, and both are understood.',
  'Nothing is kept longer than it has to be.',
  'At the end somebody writes down what it cost.',
  'That is all there is to it, so let us take questions.',
];

/** Sentence for sentence the tokens of the passage, each sentence with a space before it. */
export const passage: readonly string[][] = sentences.map(sentence => tokensOf(` ${sentence}`));
