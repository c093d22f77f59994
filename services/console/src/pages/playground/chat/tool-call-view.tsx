import type { ToolCallPart, ToolResultPart } from '../conversation/part.ts';
import classes from './tool-call.module.css';

/** A call of a tool, with its arguments as they stream. */
export function ToolCallView({ call }: { call: ToolCallPart }) {
  return (
    <section className={classes.call} aria-label={`Call of ${call.name}`}>
      <header>
        <code>{call.name}</code> <span>called with</span>
      </header>
      <pre>{formatted(call.arguments) || '{}'}</pre>
    </section>
  );
}

/** A result that the user gave for a call. */
export function ToolResultView({ result }: { result: ToolResultPart }) {
  return (
    <section className={classes.call} aria-label={`Result of ${result.name}`}>
      <header>
        <code>{result.name}</code> <span>{result.isError ? 'failed with' : 'gave'}</span>
      </header>
      <pre>{result.text}</pre>
    </section>
  );
}

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 1).replace(/\n\s*/g, ' ');
  } catch {
    return text;
  }
}
