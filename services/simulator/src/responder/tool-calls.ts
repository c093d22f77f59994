import type { Call, Step } from './answer.ts';
import { isSchema, type ValueHints, valueFor } from './json-value.ts';
import { lastUserText, type Prompt, type Tool } from './prompt.ts';
import type { SeededRandom } from './seeded-random.ts';
import { tokensOf } from './tokens.ts';

const maxCalls = 8;

/**
 * The calls for a prompt. There are no calls if it ends in tool results, allows no calls, or no tool fits the question.
 * Each of several names joined by "and" makes a call of a function.
 */
export function toolCalls(prompt: Prompt, callId: (index: number) => string, random: SeededRandom): Step[] {
  const tool = chosen(prompt);
  if (!tool) return [];
  const question = lastUserText(prompt);
  const { things, numbers, list } = subjectsOf(question);
  const several = prompt.parallel && tool.kind === 'function' && list.length > 1;
  const each = several ? list.slice(0, maxCalls).map(thing => [thing]) : [things];
  return each.flatMap((about, index) => {
    const call: Call = { index, id: callId(index), tool: tool.kind, name: tool.name };
    const input = inputFor(tool, { question, sentence: question, things: about, numbers }, random);
    return [
      { kind: 'call' as const, call },
      ...tokensOf(input).map(text => ({ kind: 'input' as const, call, text })),
    ];
  });
}

function inputFor(tool: Tool, hints: ValueHints, random: SeededRandom): string {
  if (tool.kind === 'custom') return hints.question;
  const schema = isSchema(tool.parameters) ? tool.parameters : {};
  return JSON.stringify(valueFor({ type: 'object', ...schema }, hints, random) ?? {});
}

function chosen(prompt: Prompt): Tool | undefined {
  const { tools, toolChoice, results } = prompt;
  if (results.length > 0 || tools.length === 0) return undefined;
  if (toolChoice === 'none') return undefined;
  if (toolChoice === 'required') return tools[0];
  if (toolChoice === 'auto') return fitting(tools, lastUserText(prompt));
  return tools.find(tool => tool.name === toolChoice.name);
}

/** The tool that shares the most words with the question. A word of its name counts twice. */
function fitting(tools: readonly Tool[], question: string): Tool | undefined {
  const words = wordsOf(question);
  let best: Tool | undefined;
  let most = 0;
  for (const tool of tools) {
    const shared = (text: string) => wordsOf(text).intersection(words).size;
    const score = 2 * shared(tool.name) + shared(tool.description);
    if (score > most) [best, most] = [tool, score];
  }
  return best;
}

const common = new Set(
  'the and for with from this that what whats which who how when where why are was you your can could would please tell show give get find use using call all any some out has have does not into about'.split(
    ' ',
  ),
);

/** Words of at least three letters, in lower case and the singular. `get_userName` has get, user and name. */
function wordsOf(text: string): Set<string> {
  const words = text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]{3,}/gu);
  return new Set((words ?? []).filter(word => !common.has(word)).map(word => word.replace(/(?<=..)s$/, '')));
}

/** Quoted words, names and numbers in a text. */
interface Subjects {
  things: string[];
  numbers: number[];
  /** Names joined by "and", as in "Oslo, Rome and Paris"; empty for fewer than two. */
  list: string[];
}

const capital = "\\p{Lu}[\\p{L}\\p{N}'’-]*";
const name = `${capital}(?: ${capital})*`;
const quoted = '"[^"\\n]{1,80}"|“[^”\\n]{1,80}”';
const thing = `${quoted}|${name}`;
const things = new RegExp(thing, 'gu');
const lists = new RegExp(`(?:${thing})(?:, (?:${thing}))*,? and (?:${thing})`, 'u');
/** The capital of the first word of a sentence, unless a list follows. */
const opening = new RegExp(`(?<=^|[.!?:]\\s+)\\p{Lu}(?=[\\p{L}'’]*\\s+(?!and ${capital})\\S)`, 'gu');
const fromPreposition = /\b(?:in|for|at|of|about|near|to)\s+(?:the\s+|an?\s+)?([\p{L}\p{N}-]+)/iu;
const questionWords = /^(?:I|What|Who|Where|When|Why|How|Hi|Hello|Please|Thanks)$/;

export function subjectsOf(text: string): Subjects {
  const plain = text.replace(opening, letter => letter.toLowerCase());
  const found = namesIn(plain);
  const [, after] = fromPreposition.exec(plain) ?? [];
  const joined = lists.exec(plain)?.[0];
  return {
    things: found.length > 0 || !after ? found : [after],
    numbers: (plain.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number),
    list: joined ? namesIn(joined) : [],
  };
}

function namesIn(text: string): string[] {
  const names = (text.match(things) ?? []).map(found => found.replace(/^["“]|["”]$/g, ''));
  return names.filter(found => !questionWords.test(found));
}
